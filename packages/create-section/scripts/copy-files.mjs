// Copies the template of `colonnade new` and the manifest, which has the version of the packages, next to the compiled command.
import { cpSync, rmSync } from "node:fs";
import path from "node:path";

const PACKAGE = path.resolve(import.meta.dirname, "..");
const CLI = path.join(PACKAGE, "../cli");
const TARGET = path.join(PACKAGE, "dist");

rmSync(TARGET, { recursive: true, force: true });
for (const name of ["package.json", "templates"])
  cpSync(path.join(CLI, name), path.join(TARGET, name), { recursive: true });
