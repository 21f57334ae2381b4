// The rules for `defineSection({ … })`, and the positions of its parts.
import { collidingPatterns, patternProblem } from "../build/pattern.js";
import type { Found } from "./finding.js";
import { keyOf, nameOf, nodeAt, nodesAt, textOf, walk, type SyntaxNode } from "./syntax.js";

const IMPORT_FORM = '() => import("./module")';
const OWN_FORMS = new Map([
  ["pages", "async () => ({ page })"],
  ["slots", "async () => ({ slot })"],
]);

/** Finds what is wrong in the patterns of a call of `defineSection`. */
export function* findInDeclaration(node: SyntaxNode): Generator<Found> {
  const [definition] = isDefinition(node) ? nodesAt(node, "arguments") : [];
  const members = new Map(propertiesOf(definition).map((property) => [entryKey(property), nodeAt(property, "value")]));
  for (const name of ["pages", "slots"]) yield* findUnsupported(name, members.get(name));
  yield* findInPatterns(propertiesOf(members.get("pages")));
}

/** The part of a declaration that each key names: `name`, `pages /hello` or `slots newsletter`. */
export function declaredParts(program: SyntaxNode): ReadonlyMap<string, SyntaxNode> {
  const parts = new Map<string, SyntaxNode>();
  for (const { node } of walk(program)) {
    if (!isDefinition(node)) continue;
    for (const property of propertiesOf(nodesAt(node, "arguments")[0])) {
      const name = entryKey(property) ?? "";
      parts.set(name, property);
      for (const entry of propertiesOf(nodeAt(property, "value"))) parts.set(`${name} ${entryKey(entry) ?? ""}`, entry);
    }
  }
  return parts;
}

function isDefinition(node: SyntaxNode): boolean {
  return node.type === "CallExpression" && nameOf(nodeAt(node, "callee")) === "defineSection";
}

function propertiesOf(node: SyntaxNode | undefined): SyntaxNode[] {
  return node?.type === "ObjectExpression" ? nodesAt(node, "properties") : [];
}

/** The key of `"key": value` or `key: value`. The build reads no other property. */
function entryKey(property: SyntaxNode): string | undefined {
  if (property.type !== "Property" || property.computed === true || property.method === true) return undefined;
  return keyOf(property);
}

function* findUnsupported(name: string, value: SyntaxNode | undefined): Generator<Found> {
  for (const property of propertiesOf(value)) {
    const key = entryKey(property);
    const isSupported = key !== undefined && isReadable(nodeAt(property, "value"));
    const what = key === undefined ? name : `${name}["${key}"]`;
    if (!isSupported)
      yield {
        code: "COL100",
        message: `${what} has a value that the build cannot read`,
        advice: `Write each entry as "key": ${IMPORT_FORM}, or "key": ${OWN_FORMS.get(name) ?? ""}, without spreads, variables and computed keys.`,
        node: property,
      };
  }
}

function isReadable(load: SyntaxNode | undefined): boolean {
  const body = load?.type === "ArrowFunctionExpression" ? nodeAt(load, "body") : undefined;
  if (load?.async === true && body?.type === "ObjectExpression") return true;
  return body?.type === "ImportExpression" && textOf(nodeAt(body, "source")) !== undefined;
}

function* findInPatterns(pages: readonly SyntaxNode[]): Generator<Found> {
  const earlier: string[] = [];
  for (const node of pages) {
    const pattern = entryKey(node);
    if (pattern === undefined) continue;
    const fault = patternFault(pattern, earlier);
    if (fault !== undefined) yield { code: "COL100", node, ...fault };
    earlier.push(pattern);
  }
}

function patternFault(pattern: string, earlier: readonly string[]): Pick<Found, "message" | "advice"> | undefined {
  const problem = patternProblem(pattern);
  if (problem !== null)
    return { message: `the pattern "${pattern}" is invalid: ${problem}`, advice: "Correct the pattern." };
  if (earlier.includes(pattern))
    return { message: `the pattern "${pattern}" has two pages`, advice: "Remove one of the two entries." };
  const other = earlier.find((candidate) => collidingPatterns(candidate, pattern));
  if (other === undefined) return undefined;
  const message = `the patterns "${other}" and "${pattern}" match the same paths`;
  return { message, advice: "Serve both by one page: the name of a param does not tell paths apart." };
}
