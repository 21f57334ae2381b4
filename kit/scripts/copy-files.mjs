// Copies two files into the kit: the globals of the gateway's render sandbox, which `section check` uses, and
// docs/errors.md, which SARIF logs quote and commands name.
import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";

const KIT = path.resolve(import.meta.dirname, "..");
const FILES = [
  ["gateway/crates/render/src/worker/globals.js", "dist/check/globals.js"],
  ["docs/errors.md", "dist/check/errors.md"],
];

for (const [source, target] of FILES) {
  mkdirSync(path.dirname(path.join(KIT, target)), { recursive: true });
  copyFileSync(path.join(KIT, "..", source), path.join(KIT, target));
}
