import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

import type { ExampleResults } from "@colonnade/kit";

import { referenceOf } from "../check/listedPoints.js";
import type { Positions } from "../check/positions.js";
import type { Report } from "../check/report.js";
import type { ReleaseExtensionPoint } from "./release.js";

/** The file of a release with {@link ReleaseExamples}. It is not public. */
const EXAMPLES_FILE = "server/examples.json";

interface Example {
  readonly results: ExampleResults;
  /** Its position in the sources, for messages of the gateway. */
  readonly source?: string;
}

/** What the gateway renders pages and extensions with before a deploy. */
export interface ReleaseExamples {
  readonly pages: readonly (Example & { readonly pattern: string; readonly path: string })[];
  readonly extensions: readonly (Example & { readonly point: string; readonly props: object })[];
  /** The positions of the examples of extension points, which the manifest has. */
  readonly points: readonly { readonly point: string; readonly sources: readonly string[] }[];
}

/** The examples in the reports of a check, and the positions of those of the extension points. */
export function examplesIn(
  reports: readonly Report[],
  points: readonly ReleaseExtensionPoint[],
  { positionOf, locationOf }: Positions,
): ReleaseExamples {
  const examples = reports
    .filter((report) => report.kind === "example")
    .map(({ subject, results, stack }) => {
      const source = positionOf(stack);
      return { subject, example: { results, ...(source !== undefined && { source }) } };
    });
  return {
    pages: examples.flatMap(({ subject, example }) => ("path" in subject ? [{ ...subject, ...example }] : [])),
    extensions: examples.flatMap(({ subject, example }) =>
      "props" in subject ? [{ point: subject.point, props: JSON.parse(subject.props) as object, ...example }] : [],
    ),
    points: points.flatMap((point) => {
      const reference = referenceOf(point);
      const sources = point.examples.map((_, index) => locationOf(`${reference} ${String(index + 1)}`));
      return sources.every((source) => source !== undefined) ? [{ point: reference, sources }] : [];
    }),
  };
}

/** Writes the examples to a file of a release, below its folder `output`. Returns its path; undefined without examples. */
export async function writeExamples(output: string, examples: ReleaseExamples): Promise<string | undefined> {
  if (Object.values(examples).flat().length === 0) return undefined;
  const file = path.join(output, EXAMPLES_FILE);
  // A check compiles no server module.
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(examples)}\n`);
  return EXAMPLES_FILE;
}
