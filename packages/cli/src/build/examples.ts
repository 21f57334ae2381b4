import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

import type { ExampleResults } from "@colonnade/kit";

import type { Report } from "../check/report.js";

/** The file of a release with {@link ReleaseExamples}. It is not public. */
export const EXAMPLES_FILE = "server/examples.json";

/** What the gateway renders pages and extensions with before a deploy. */
export interface ReleaseExamples {
  readonly pages: readonly { readonly pattern: string; readonly path: string; readonly results: ExampleResults }[];
  readonly extensions: readonly { readonly point: string; readonly props: object; readonly results: ExampleResults }[];
}

/** The examples in the reports of a check. */
export function examplesIn(reports: readonly Report[]): ReleaseExamples {
  const examples = reports.filter((report) => report.kind === "example");
  return {
    pages: examples.flatMap(({ subject, results }) => ("path" in subject ? [{ ...subject, results }] : [])),
    extensions: examples.flatMap(({ subject, results }) =>
      "props" in subject ? [{ point: subject.point, props: JSON.parse(subject.props) as object, results }] : [],
    ),
  };
}

/** Writes {@link EXAMPLES_FILE} below `output`, the folder of a release. Returns its path; undefined without examples. */
export async function writeExamples(output: string, examples: ReleaseExamples): Promise<string | undefined> {
  if (examples.pages.length + examples.extensions.length === 0) return undefined;
  const file = path.join(output, EXAMPLES_FILE);
  // A check compiles no server module.
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(examples)}\n`);
  return EXAMPLES_FILE;
}
