import { readFile } from "node:fs/promises";
import path from "node:path";

import { Ajv2020 } from "ajv/dist/2020.js";

import { ROOT } from "./repository.mjs";

const text = await readFile(path.join(ROOT, "docs/spec/release.schema.json"), "utf8");
// A schema in `if`, `then` or `else` has the type of the property that it restricts.
const validate = new Ajv2020({ strictTypes: false }).compile(JSON.parse(text) as object);

/** Returns the problems of a release manifest by the schema of the specification. */
export function schemaProblems(release: unknown): string[] {
  validate(release);
  return (validate.errors ?? []).map(({ instancePath, message = "" }) => `${instancePath} ${message}`);
}
