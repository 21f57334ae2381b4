// Copies what `section check` uses into the kit: the globals of the gateway's render sandbox, and the guide to its codes.
import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../..");
const TARGET = path.join(ROOT, "kit/dist/check");

mkdirSync(TARGET, { recursive: true });
for (const file of ["gateway/crates/render/src/worker/globals.js", "docs/errors.md"])
  copyFileSync(path.join(ROOT, file), path.join(TARGET, path.basename(file)));
