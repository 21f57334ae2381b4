// Writes the types of the admin API, `src/openapi.d.ts`, from `openapi.json`: the description that the gateway serves.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import openapiTS, { astToString } from "openapi-typescript";

const description = await readFile(path.join(import.meta.dirname, "openapi.json"), "utf8");
const types = await openapiTS(description, { immutable: true, rootTypes: true, rootTypesNoSchemaPrefix: true });
await writeFile(path.join(import.meta.dirname, "src/openapi.d.ts"), astToString(types));
