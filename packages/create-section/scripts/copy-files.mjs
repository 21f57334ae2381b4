// Copies the template of `colonnade new` and the manifest, which has the version of the kit, next to the compiled command.
import { cpSync, rmSync } from "node:fs";
import path from "node:path";

const PACKAGE = path.resolve(import.meta.dirname, "..");
const KIT = path.join(PACKAGE, "../../kit");
const TARGET = path.join(PACKAGE, "dist");

rmSync(TARGET, { recursive: true, force: true });
for (const name of ["package.json", "templates"])
  cpSync(path.join(KIT, name), path.join(TARGET, name), { recursive: true });
