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
const JAVASCRIPT = new Set(["javascript"]);

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

/** Weighs a section whose pages have scripts of this many KiB. */
async function weigh(
  sizes: Readonly<Record<string, number>>,
  compilation?: Compilation,
  pages: ReadonlyMap<string, string> = new Map([["/chart", "./pages/chart"]]),
): Promise<string[]> {
  // Brotli does not make random bytes smaller.
  const files = Object.entries(sizes).map(([file, kib]) => [file, randomBytes(kib * 1024)] as const);
  await writeFiles(folder, Object.fromEntries(files));
  const assetsOf = (): string[] => Object.keys(sizes).filter((file) => file !== ENTRY);
  const assets = { common: [], assetsOf, sharedOf: () => [], moduleFiles: () => ({ first: [], later: [] }) };
  return weights.changed(
    { folder, output: folder, config: CONFIG, buildTarget: TARGET },
    { entry: ENTRY, assets, ...(compilation && { compilation }) },
    { pages, extensions: new Map() },
  );
}

interface FakeModule {
  readonly nameForCondition: () => string;
  readonly rawRequest: string | undefined;
  /** What it imports; by the specifier of an `import()`, if it is one. */
  readonly imports: readonly (readonly [module: FakeModule, specifier?: string])[];
}

/** A module whose source has 10 bytes. */
function moduleAt(file: string, rawRequest?: string, ...imports: FakeModule["imports"]): FakeModule {
  const nameForCondition = (): string => path.resolve(folder, file);
  return Object.assign({ nameForCondition, rawRequest, imports }, { size: () => 10, getSourceTypes: () => JAVASCRIPT });
}

/** A compilation of one file with a section's module and these. */
function compile(...imports: FakeModule["imports"]): Compilation {
  const modules = new Set([moduleAt(CONFIG.entry, undefined, ...imports)]);
  for (const module of modules) for (const [imported] of module.imports) modules.add(imported);
  const getOutgoingConnections = (module: FakeModule): object[] =>
    module.imports.map(([imported, request]) => ({
      module: imported,
      dependency: { request, block: request === undefined ? module : {} },
    }));
  return {
    modules,
    chunks: [{ files: new Set(["chart.js"]) }],
    chunkGraph: { getChunkModules: () => [...modules] },
    moduleGraph: { getOutgoingConnections, getParentBlock: ({ block }: { readonly block: object }) => block },
  } as unknown as Compilation;
}

test("what a page imports is described, without packages of the site", async () => {
  const ofForms = moduleAt("node_modules/only-of-forms/index.js");
  const page = moduleAt(
    "src/chart.tsx",
    undefined,
    [moduleAt("node_modules/react-hook-form/index.js", "react-hook-form", [ofForms])],
    [moduleAt("node_modules/yaml/a.js", "yaml", [moduleAt("node_modules/yaml/b.js")])],
    [moduleAt("node_modules/yaml/mini.js", "yaml/mini")],
    [moduleAt("node_modules/react/jsx-dev-runtime.js")],
    [moduleAt("node_modules/mini-css-extract-plugin/dist/hmr/hotModuleReplacement.js")],
    [moduleAt(path.join(import.meta.dirname, "client/hotClient.js"))],
    [moduleAt("src/dialog.tsx"), "./dialog"],
  );
  expect(await weigh({ [ENTRY]: 1, [OWN]: 110 }, compile([page, "./pages/chart"]))).toEqual([
    "the page /chart imports 40.0 KiB of scripts, before minification (Brotli): yaml 20.0 KiB, src/section.ts 10.0 KiB, " +
      "src/chart.tsx 10.0 KiB. " +
      "A release has only what it uses of packages. Its budget is 20 KiB (set by the site): `colonnade check` measures it. " +
      "For a larger one, ask its operator for `page_script_kib = N` in `[budget.sections.hello]` of site.toml.",
  ]);
});

test("a package counts for the page that imports it, not for one with a package of the site that does", async () => {
  const chart = moduleAt("node_modules/d3/index.js");
  const other = moduleAt("src/other.tsx", undefined, [moduleAt("node_modules/a/index.js", "react-hook-form", [chart])]);
  const imports = [
    [other, "./pages/other"],
    [moduleAt("src/chart.tsx", undefined, [chart]), "./pages/chart"],
  ] as const;
  const pages = new Map(imports.map(([, specifier]) => [specifier.slice(7), specifier]));
  const described = await weigh({ [OWN]: 100 }, compile(...imports), pages);
  expect(described).toEqual([
    expect.stringContaining(
      "the page /other imports 40.0 KiB of scripts, before minification (Brotli): src/section.ts 20.0 KiB, src/other.tsx 20.0 KiB.",
    ),
    expect.stringContaining("d3"),
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
