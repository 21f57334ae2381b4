// The examples of a page or an extension: results of queries to check it with.
import type { ExampleResults, Queries, QueryResult } from "@colonnade/kit";
import { findNonJson } from "@colonnade/kit/server";
import { MAX_EXAMPLES } from "../limits.js";
import type { Violation } from "./violation.js";

// The result may be one of a site.
const MISMATCH_ADVICE = "Correct the schema of the query, the example, or what the upstream responds with.";

/** An example of a page, which has `path`, or of an extension, which has `props`. */
export interface DescribedExample {
  readonly path?: string;
  readonly props?: object;
  readonly results: ExampleResults;
}

/** The examples that are JSON, and the problems of the others. */
export interface DescribedExamples {
  readonly examples: readonly DescribedExample[];
  readonly problems: readonly Violation[];
}

/** Describes what `examples` returns. `member` is what each one has besides results; `subject` has them, for messages. */
export function describeExamples(value: unknown, member: "path" | "props", subject: string): DescribedExamples {
  const name = `examples() of ${subject}`;
  if (!Array.isArray(value) || value.length > MAX_EXAMPLES)
    return { examples: [], problems: [{ code: "COL163", problem: `${name} does not return a list of at most 20` }] };
  const examples: DescribedExample[] = [];
  const problems: Violation[] = [];
  for (const [index, example] of (value as readonly Partial<DescribedExample>[]).entries()) {
    const { [member]: where, results = {} } = example;
    const found = findNonJson({ where, results });
    const isNamed = member === "path" ? typeof where === "string" : isObject(where);
    if (isNamed && isObject(results) && found === null) examples.push({ [member]: where, results });
    else
      problems.push({
        code: "COL163",
        problem: `example ${String(index + 1)} of ${subject} is not JSON with ${member} and results`,
        ...(found !== null && { advice: `It${found.replace(/^\.where/, `.${member}`)}. Return only what JSON keeps.` }),
      });
  }
  return { examples, problems };
}

/** Finds which results do not belong to queries or do not fit their schemas. `subject` has them, for messages. */
export async function resultProblems(queries: Queries, results: ExampleResults, subject: string): Promise<Violation[]> {
  const names = Object.keys(queries);
  const violation = (problem: string): Violation => ({ code: "COL163", problem: `${subject}: ${problem}` });
  const known = `; its queries are ${names.join(", ") || "none"}`;
  const unknown = Object.keys(results).filter((name) => !names.includes(name));
  const problems = unknown.map((name) => violation(`the result "${name}" is that of no query${known}`));
  for (const [name, query] of Object.entries(queries)) {
    const result = results[name] as Partial<QueryResult> | undefined;
    if (!isResult(result)) {
      const expected = "{ ok: true, value } or { ok: false, status }";
      problems.push(violation(`the result of the query "${name}" is missing; expected ${expected}`));
    } else if (result.ok && typeof query !== "string") {
      const { issues } = await query.schema["~standard"].validate(result.value);
      if (issues) {
        const mismatch = violation(`the result of the query "${name}" does not fit its schema: ${textOf(issues)}`);
        problems.push({ ...mismatch, advice: MISMATCH_ADVICE });
      }
    }
  }
  return problems;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isResult(result: Partial<QueryResult> | undefined): result is QueryResult {
  return result?.ok === true ? "value" in result : result?.ok === false && typeof result.status === "number";
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

function textOf(issues: readonly Issue[]): string {
  const texts = issues.map(({ path = [], message }) => {
    const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
    return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
  });
  return texts.join("; ");
}
