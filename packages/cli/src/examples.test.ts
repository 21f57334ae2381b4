// The examples in the comments of the packages that sections and shells import, with the types of the compiled packages.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { helloSection, NODE_MODULES, removeTemporaryFolders } from "../fixtures/temporary.js";

const PACKAGES = path.resolve(import.meta.dirname, "../..");
const BASE = path.resolve(PACKAGES, "../tsconfig.base.json");
const ENTRIES = ["kit/src/index.ts", "kit/src/data/index.ts", "kit/src/extensions/index.ts", "shell/src/index.ts"];
// Entries that export functions of their own.
const MODULES = [
  "kit/src/analytics/index.ts",
  "kit/src/html/content.ts",
  "kit/src/html/Html.tsx",
  "kit/src/remotes/Remote.tsx",
  "kit/src/testing/index.tsx",
  "shell/src/plain.tsx",
];

interface SourceFile {
  readonly name: string;
  readonly text: string;
  readonly examples: readonly string[];
}

/** The source file of a compiled module, relative to the packages. */
function sourceOf(compiled: string): string {
  const module = compiled.replace(/\.js$/, "");
  return existsSync(path.join(PACKAGES, `${module}.ts`)) ? `${module}.ts` : `${module}.tsx`;
}

function readSource(name: string): SourceFile {
  const text = readFileSync(path.join(PACKAGES, name), "utf8");
  const examples = [...text.matchAll(/^ \* @example\n \* ```tsx\n(.*?)^ \* ```$/gms)];
  return { name, text, examples: examples.map(([, code = ""]) => code.replaceAll(/^ \* ?/gm, "")) };
}

/** The names and source files of what an entry module exports, without types. */
function exportsOf(entry: string): (readonly [name: string, file: SourceFile])[] {
  const text = readFileSync(path.join(PACKAGES, entry), "utf8");
  return [...text.matchAll(/^export \{([^}]*)\} from "(\.[^"]+)";/gm)].flatMap(([, names = "", module = ""]) => {
    const file = readSource(sourceOf(path.join(path.dirname(entry), module)));
    const values = names.split(",").map((name) => name.trim());
    return values.filter((name) => name !== "" && !name.startsWith("type ")).map((name) => [name, file] as const);
  });
}

/** The names and source file of the functions that a module exports. */
function functionsOf(module: string): (readonly [name: string, file: SourceFile])[] {
  const file = readSource(module);
  return [...file.text.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name = ""]) => [name, file] as const);
}

const isPublicFunction = (name: string, { text }: SourceFile): boolean =>
  text.includes(`export function ${name}`) && !text.includes(` * @internal\n */\nexport function ${name}`);

const EXPORTED = [
  ...ENTRIES.flatMap(exportsOf).filter(([name, file]) => isPublicFunction(name, file)),
  ...MODULES.flatMap(functionsOf),
];
const FILES = new Map(EXPORTED.map(([, file]) => [file.name, file]));

test.each(EXPORTED.map(([name, file]) => [name, file.name] as const))("%s has an example in %s", (name, file) => {
  expect(FILES.get(file)?.examples.join("\n")).toMatch(new RegExp(`\\b${name}\\b`));
});

test("the examples fit the types of the packages", async () => {
  const files: Record<string, string> = {
    "src/pages/events.ts": "export declare const page: never;",
    "src/section.ts": 'declare const section: import("@colonnade/kit").Section; export default section;',
    "src/points.ts":
      'import type { DefinedExtensionPoint } from "@colonnade/kit/extensions";\n' +
      "export declare const eventAside: DefinedExtensionPoint<{ city: string }>;",
  };
  for (const { name, examples } of FILES.values())
    for (const [index, code] of examples.entries())
      files[`src/${name.replaceAll(/\W/g, "_")}_${String(index)}.tsx`] = code;
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
