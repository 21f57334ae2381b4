// Removes the compiled files of modules that no longer exist from packages, such as `packages/kit`. TypeScript leaves them, and
// they would be in a packed package and in the versions of releases.
import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";

for (const folder of process.argv.slice(2)) {
  const compiled = path.join(folder, "dist");
  // Files that have no declarations are copies.
  for (const declarations of readdirSync(compiled, { recursive: true }).filter((name) => name.endsWith(".d.ts"))) {
    const module = declarations.slice(0, -".d.ts".length);
    if ([".ts", ".tsx"].some((ending) => existsSync(path.join(folder, "src", module + ending)))) continue;
    for (const ending of [".d.ts", ".js"]) rmSync(path.join(compiled, module + ending), { force: true });
  }
}
