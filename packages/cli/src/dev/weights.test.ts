import { randomBytes } from "node:crypto";
import path from "node:path";

import { afterAll, beforeEach, expect, test } from "vitest";
import type { Compilation } from "webpack";

import { removeTemporaryFolders, temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import { Weights } from "./weights.js";

const CONFIG = { name: "hello", entry: "./src/section.ts" };
const TARGET = {
  ...{ source: "the site", scriptKib: 20, extensionPoints: {}, policy: {} },
  shared: { "react-hook-form": "7.92.0", "yaml/mini": "2.9.0" },
};
const ENTRY = "client/entry.js";
const OWN = "client/chart.js";

let folder: string;
let weights: Weights;
beforeEach(async () => {
  folder = await temporaryFolder();
  weights = new Weights();
  await writeFiles(folder, {
    "package.json": JSON.stringify({ dependencies: { "react-hook-form": "^7.0.0", yaml: "^2.0.0" } }),
  });
});
afterAll(removeTemporaryFolders);

/** Weighs a section with one page, whose scripts have this many KiB. */
async function weigh(sizes: Readonly<Record<string, number>>, compilation?: Compilation): Promise<string[]> {
  // Brotli does not make random bytes smaller.
  const files = Object.entries(sizes).map(([file, kib]) => [file, randomBytes(kib * 1024)] as const);
  await writeFiles(folder, Object.fromEntries(files));
  const assetsOf = (): string[] => Object.keys(sizes).filter((file) => file !== ENTRY);
  const assets = { common: [], assetsOf, sharedOf: () => [], moduleFiles: () => ({ first: [], later: [] }) };
  return weights.changed(
    { folder, output: folder, config: CONFIG, buildTarget: TARGET },
    { entry: ENTRY, assets, ...(compilation && { compilation }) },
    { pages: new Map([["/chart", "./pages/chart"]]), extensions: new Map() },
  );
}

/** A module whose source has 10 bytes. */
function moduleAt(file: string, issuer?: object, rawRequest?: string): object {
  const nameForCondition = (): string => path.join(folder, file);
  return { nameForCondition, issuer, rawRequest, size: () => 10, getSourceTypes: () => new Set(["javascript"]) };
}

test("what a page imports is described, without packages of the site", async () => {
  const form = moduleAt("node_modules/react-hook-form/index.js", undefined, "react-hook-form");
  const modules = [
    ...[form, moduleAt("node_modules/only-of-forms/index.js", form), moduleAt("src/chart.tsx")],
    ...[moduleAt("node_modules/yaml/a.js", undefined, "yaml"), moduleAt("node_modules/yaml/b.js")],
    ...[
      moduleAt("node_modules/yaml/mini.js", undefined, "yaml/mini"),
      moduleAt("node_modules/react/jsx-dev-runtime.js"),
    ],
    moduleAt("node_modules/mini-css-extract-plugin/dist/hmr/hotModuleReplacement.js"),
    { ...moduleAt(""), nameForCondition: () => path.join(import.meta.dirname, "client/hotClient.js") },
  ];
  const compilation = {
    chunks: [{ files: new Set(["chart.js"]), modules }],
    chunkGraph: { getChunkModules: (chunk: { readonly modules: unknown }) => chunk.modules },
    moduleGraph: { getIssuer: ({ issuer }: { readonly issuer?: object }) => issuer },
  } as unknown as Compilation;
  expect(await weigh({ [ENTRY]: 1, [OWN]: 90 }, compilation)).toEqual([
    "the page /chart imports 30.0 KiB of scripts, before minification (Brotli): yaml 20.0 KiB, src/chart.tsx 10.0 KiB. " +
      "A release has only what it uses of packages. Its budget is 20 KiB (set by the site): `colonnade check` measures it. " +
      "For a larger one, ask its operator for `page_script_kib = N` in `[budget.sections.hello]` of site.toml.",
  ]);
});

test("a section that is one script is described", async () => {
  expect(await weigh({ [ENTRY]: 30 })).toEqual([
    "the page /chart loads 30.0 KiB of scripts (Brotli): entry.js 30.0 KiB. Its budget is 20 KiB (set by the site): " +
      "`colonnade check` measures it. " +
      "For a larger one, ask its operator for `page_script_kib = N` in `[budget.sections.hello]` of site.toml.",
  ]);
});

test("a page is described when it exceeds its budget, and per change", async () => {
  const described = [];
  for (const kib of [18, 19, 20, 22, 24, 10, 24]) described.push((await weigh({ [ENTRY]: 0.5, [OWN]: kib })).length);
  expect(described).toEqual([0, 0, 1, 0, 1, 0, 1]);
});
