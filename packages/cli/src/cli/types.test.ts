// Types of exposed modules: what a build writes, and what `colonnade types` fetches from a site.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";

import * as tar from "tar";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { failure, runSection } from "../../fixtures/command.js";
import { helloSection, NODE_MODULES, temporaryFolder, writeFiles } from "../../fixtures/temporary.js";
import { TYPES_ARCHIVE, TYPES_FOLDER, writeDeclarations } from "../build/declarations.js";

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    ...{ target: "es2022", module: "esnext", moduleResolution: "bundler", jsx: "react-jsx", strict: true },
    ...{ noEmit: true, skipLibCheck: true, types: ["react", "react-dom", "@colonnade/kit/modules"] },
  },
  include: ["src", TYPES_FOLDER],
});
const PRICE_TAG = `import type { Tone } from "./tone";
export const currencies = ["USD"] as const;
export default function PriceTag(props: { readonly product: string; readonly tone?: Tone }) {
  return <b>{props.product}</b>;
}
`;
const EXPOSES = { "./PriceTag": "./src/parts/PriceTag.tsx" };

const catalog = (): Promise<string> =>
  helloSection({
    "tsconfig.json": TSCONFIG,
    "src/parts/PriceTag.tsx": PRICE_TAG,
    "src/parts/tone.ts": 'export type Tone = "quiet" | "loud";\n',
  });

let archive: Buffer;
beforeAll(async () => {
  const folder = await catalog();
  const output = path.join(folder, "release.building");
  await writeDeclarations(folder, EXPOSES, output);
  archive = await readFile(path.join(output, TYPES_ARCHIVE));
});

describe("the types of a release", () => {
  test("are the declarations that the exposed modules need, in equal bytes for equal sources", async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, { [TYPES_ARCHIVE]: archive });
    const files: string[] = [];
    await tar.list({ file: path.join(folder, TYPES_ARCHIVE), onReadEntry: (entry) => files.push(entry.path) });
    expect(files).toEqual(["PriceTag.d.ts", "src/parts/PriceTag.d.ts", "src/parts/tone.d.ts"]);
    const section = await catalog();
    await writeDeclarations(section, EXPOSES, path.join(section, "out"));
    expect((await readFile(path.join(section, "out", TYPES_ARCHIVE))).equals(archive)).toBe(true);
  });

  test("are absent without exposed modules, and without a tsconfig.json", async () => {
    const folder = await catalog();
    await writeDeclarations(folder, {}, path.join(folder, "out"));
    await rm(path.join(folder, "tsconfig.json"));
    await writeDeclarations(folder, EXPOSES, path.join(folder, "out"));
    expect(await readdir(folder)).not.toContain("out");
  });

  test("of a module that TypeScript cannot declare are an error with the cause", async () => {
    const folder = await catalog();
    const exposes = { "./Chart": "./src/Chart.tsx" };
    await expect(writeDeclarations(folder, exposes, path.join(folder, "out"))).rejects.toThrow(
      /^TypeScript writes no declaration of \.\/src\/Chart\.tsx, which is exposed as "\.\/Chart":\n.*TS6053/,
    );
  });
});

describe("colonnade types", () => {
  const document =
    '<!doctype html><head><script src="/assets/shell/1.0.0/main.js"></script></head><body><div id="root"></div>' +
    '<script type="application/json" id="boot">{"deployment":"42","site":{}}</script></body>';
  const remote = (name: string, exposes: object) => ({ entry: `/assets/${name}/1.0.0/entry.js`, exposes });
  const live = { catalog: remote("catalog", { "./PriceTag": {} }), legal: remote("legal", {}) };
  let remotes: object = live;
  /** Responses by URL path. Undefined for none. */
  const special = new Map<string, Buffer | undefined>();
  const server = createServer(({ url = "" }, response) => {
    if (special.has(url)) {
      const content = special.get(url);
      if (content) response.end(content);
    } else if (url === "/") response.end(document);
    else if (url === "/_remotes/42") response.end(JSON.stringify(remotes));
    else if (url === "/assets/catalog/1.0.0/types.tgz") response.end(archive);
    else response.writeHead(404).end();
  });
  let site: string;
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    site = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  afterEach(() => {
    remotes = live;
    special.clear();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test("makes a wrong prop of another section's component a compile error", async () => {
    const use = (name: string, props: string): string =>
      `import { Remote } from "@colonnade/kit/remotes";\nexport const ${name} = <Remote from="catalog" module="PriceTag" ${props} />;\n`;
    const folder = await helloSection({
      "tsconfig.json": TSCONFIG,
      "src/Right.tsx": use("Right", 'product="tea" tone="quiet"'),
      "src/Wrong.tsx": use("Wrong", 'product="tea" tone="shrill"'),
    });
    const { out, code } = await runSection(folder, ["types", "--site", site]);
    expect([out, code]).toEqual(["catalog/PriceTag\n", 0]);
    const compiler = path.join(NODE_MODULES, "typescript-7/bin/tsc");
    const run = promisify(execFile)(process.execPath, [compiler, "--project", folder], {
      cwd: folder,
      encoding: "utf8",
    });
    const { stdout } = await run.catch((failed: unknown) => failed as { readonly stdout: string });
    expect(stdout).toMatch(/^src\/Wrong\.tsx\(2,\d+\): error TS2322: Type '"shrill"' is not assignable to type 'Tone/);
    expect(stdout.match(/error TS/g)).toHaveLength(1);
  });

  test.each([
    ["legal", 'the section "legal" exposes no module'],
    ["shop", 'the section "shop" is not live'],
  ])("of %s is an error that names the sections with modules, and keeps the types", async (name, problem) => {
    const folder = await helloSection({ [`${TYPES_FOLDER}/remotes.d.ts`]: "export {};" });
    expect(await runSection(folder, ["types", name, "--site", site])).toEqual(
      failure(`${problem} at ${site}; expected one of catalog`),
    );
    expect(await readdir(path.join(folder, TYPES_FOLDER))).toEqual(["remotes.d.ts"]);
  });

  const PATH = "expected a path below /assets/";
  test.each([
    ['section "../.."', "../..", {}, 'expected a lowercase letter followed by up to 31 of a-z, 0-9 and "-"'],
    [
      'module "./../../x" of the section "shop"',
      "shop",
      { exposes: { "./../../x": {} } },
      'expected a name such as "./PriceTag"',
    ],
    [
      'module "./x\\");y(\\"" of the section "shop"',
      "shop",
      { exposes: { './x");y("': {} } },
      'expected a name such as "./PriceTag"',
    ],
    [
      'entry "http://127.0.0.1:1/assets/entry.js" of the section "shop"',
      "shop",
      { entry: "http://127.0.0.1:1/assets/entry.js" },
      PATH,
    ],
    ['entry "/assets/../admin/" of the section "shop"', "shop", { entry: "/assets/../admin/" }, PATH],
  ])("of a site with the %s are an error, and keep the types", async (problem, name, changes, expected) => {
    remotes = { ...live, [name]: { ...remote("catalog", { "./PriceTag": {} }), ...changes } };
    const folder = await helloSection({ [`${TYPES_FOLDER}/remotes.d.ts`]: "export {};" });
    expect(await runSection(folder, ["types", "--site", site])).toEqual(
      failure(`${site}/_remotes/42 has the ${problem}; ${expected}`, "unavailable"),
    );
    expect(await readdir(path.join(folder, ".colonnade"))).toEqual(["types"]);
    expect(await readdir(path.join(folder, TYPES_FOLDER))).toEqual(["remotes.d.ts"]);
  });

  test("of a site that sends too much are an error", async () => {
    const url = "/assets/catalog/1.0.0/types.tgz";
    const folder = await helloSection();
    special.set(url, Buffer.alloc(4 * 1024 * 1024 + 1));
    expect(await runSection(folder, ["types", "--site", site])).toEqual(
      failure(`${site}${url} responded with too many bytes; expected at most 4194304`, "unavailable"),
    );
    const large = await temporaryFolder();
    const half = Buffer.alloc(9 * 1024 * 1024, randomBytes(1024));
    await writeFiles(large, { "a.d.ts": half, "b.d.ts": half });
    special.set(url, await tar.create({ cwd: large, gzip: true }, ["a.d.ts", "b.d.ts"]).concat());
    expect(await runSection(folder, ["types", "--site", site])).toEqual(
      failure(`${site}${url} has files of too many bytes; expected at most 16777216`, "unavailable"),
    );
  });

  test.each(["/", "/_remotes/42", "/assets/catalog/1.0.0/types.tgz"])(
    "of a site that does not answer %s are an error",
    async (url) => {
      special.set(url, undefined);
      const soon = AbortSignal.timeout.bind(AbortSignal);
      const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => soon(300));
      const { err, code } = await runSection(await helloSection(), ["types", "--site", site]);
      expect([err, code]).toEqual([expect.stringMatching(`^error: cannot fetch ${site}${url} \\(TimeoutError: `), 6]);
      expect(timeout).toHaveBeenCalledWith(10_000);
      timeout.mockRestore();
    },
  );
});
