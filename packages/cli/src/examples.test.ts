// The examples in the comments of the section contract, with the types of the compiled kit.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { helloSection, NODE_MODULES, removeTemporaryFolders } from "../fixtures/temporary.js";

// The functions that a section calls to declare itself, and the hooks.
const FILES = ["section", "page", "slot", "notFound", "redirect", "query", "context", "hydrated", "portal"];
const DATA = ["useQuery.ts", "useMutation.ts", "MutationForm.tsx"];
const BASE = path.resolve(import.meta.dirname, "../../tsconfig.base.json");

test("each function of the contract has an example that fits its types", async () => {
  const files: Record<string, string> = { "src/pages/event.ts": "export declare const page: never;" };
  for (const file of [...FILES.map((name) => `${name}.ts`), ...DATA.map((name) => `data/${name}`)]) {
    const text = readFileSync(path.join(import.meta.dirname, file), "utf8");
    const examples = [...text.matchAll(/^ \* @example\n \* ```tsx\n(.*?)^ \* ```$/gms)];
    expect(examples.length, file).toBe(file === "context.ts" ? 3 : 1);
    for (const [index, [, code = ""]] of examples.entries())
      files[`src/${path.parse(file).name}${String(index)}.tsx`] = code.replaceAll(/^ \* ?/gm, "");
  }
  const options = { module: "esnext", moduleResolution: "bundler", composite: false, noEmit: true };
  const tsconfig = JSON.stringify({ extends: BASE, compilerOptions: options, files: Object.keys(files) });
  const folder = await helloSection({ ...files, "tsconfig.json": tsconfig });
  try {
    const compiler = path.join(NODE_MODULES, "typescript-7/bin/tsc");
    const run = promisify(execFile)(process.execPath, [compiler, "--project", folder], { encoding: "utf8" });
    const { stdout } = await run.catch((failed: unknown) => failed as { readonly stdout: string });
    expect(stdout).toBe("");
  } finally {
    await removeTemporaryFolders();
  }
});
