// Copies two files into the package: the globals of the gateway's render sandbox, which `colonnade check` uses, and
// docs/errors.md, which SARIF logs quote and commands name.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const CLI = path.resolve(import.meta.dirname, "..");
const FILES = [
  ["gateway/crates/render/src/worker/globals.js", "dist/check/globals.js"],
  ["docs/errors.md", "dist/check/errors.md"],
];

// The package does not contain the other pages of the documentation.
const LINK_TO_PAGE = /\[([^\]]+)\]\((?!https:|#)[^)]+\)/g;

for (const [source, target] of FILES) {
  const file = path.join(CLI, target);
  mkdirSync(path.dirname(file), { recursive: true });
  const text = readFileSync(path.join(CLI, "../..", source), "utf8");
  const copy = source.endsWith(".md") ? text.replaceAll(LINK_TO_PAGE, "$1") : text;
  // A build that runs meanwhile reads the files for its version.
  if (!existsSync(file) || readFileSync(file, "utf8") !== copy) writeFileSync(file, copy);
}
