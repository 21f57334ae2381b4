// Types of exposed modules: what a build writes, and what `colonnade types` fetches from a site.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, rm, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

import * as tar from "tar";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { failure, runSection } from "../../fixtures/command.js";
import {
  helloSection,
  nativeSection,
  NODE_MODULES,
  temporaryFolder,
  TSCONFIG,
  writeFiles,
} from "../../fixtures/temporary.js";
import { runCompiler } from "../build/compiler.js";
import { TYPES_ARCHIVE, TYPES_FOLDER, writeDeclarations } from "../build/declarations.js";

const PRICE_TAG = `import { useConfig } from "@colonnade/kit";
import { defineChannel, defineExtensionPoint } from "@colonnade/kit/extensions";
import type { Shape } from "shapes";
import type { Tone } from "./tone";
import type { Size } from "../../../shared/size";
interface Props { readonly product: string; readonly tone?: Tone; readonly size?: Size; readonly shape?: Shape }
export interface Config { readonly pageSize: number; readonly currency: string }
export const useOwnConfig = () => useConfig<Config>();
export const currencies = ["USD"] as const;
export const aside = defineExtensionPoint<{ product: string }>({ id: "catalog/aside", version: 1, max: 1, examples: [{ product: "tea" }] });
export const cart = defineChannel<{ product: string }>("catalog/cart");
export default function PriceTag(props: Props) {
  return <b>{props.product}</b>;
}
`;
const EXPOSES = { "./PriceTag": "./src/parts/PriceTag.tsx" };

const catalog = (create = nativeSection): Promise<string> =>
  create({
    "tsconfig.json": TSCONFIG,
    "src/parts/PriceTag.tsx": PRICE_TAG,
    // TypeScript copies no declarations of a team's own.
    "src/parts/tone.d.ts": 'export type Tone = "quiet" | "loud";\n',
    "../shared/size.ts": "export type Size = 1 | 2;\n",
  });

let archive: Buffer;
beforeAll(async () => {
  // With the TypeScript of a new section.
  const folder = await catalog(helloSection);
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
    const sources = ["hello/src/parts/PriceTag.d.ts", "hello/src/parts/tone.d.ts", "shared/size.d.ts"];
    expect(files).toEqual(["PriceTag.d.ts", ...sources.map((file) => `_/${file}`)]);
    const section = await catalog();
    await writeDeclarations(section, EXPOSES, path.join(section, "out"));
    expect((await readFile(path.join(section, "out", TYPES_ARCHIVE))).equals(archive)).toBe(true);
    expect(await readdir(path.join(section, "../shared"))).toEqual(["size.ts"]);
  });

  test("are absent without exposed modules, and without a tsconfig.json", async () => {
    const folder = await catalog();
    await writeDeclarations(folder, {}, path.join(folder, "out"));
    await rm(path.join(folder, "tsconfig.json"));
    await writeDeclarations(folder, EXPOSES, path.join(folder, "out"));
    expect(await readdir(folder)).not.toContain("out");
  });

  test("that no TypeScript can write are a warning", async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, { "tsconfig.json": "{}" });
    expect(await writeDeclarations(folder, EXPOSES, path.join(folder, "out"))).toEqual([
      "other sections get no types of the exposed modules: the package has no TypeScript; install typescript",
    ]);
  });

  test("that only ambient declarations have are a warning", async () => {
    const folder = await nativeSection({
      "tsconfig.json": TSCONFIG,
      "src/globals.d.ts": "type Money = number;\ntype Secret = string;\n",
      "src/Price.ts":
        "export const price = (money: Money): string => { const text: Secret = String(money); return text; };\n",
    });
    const warnings = await writeDeclarations(folder, { "./Price": "./src/Price.ts" }, path.join(folder, "out"));
    expect(warnings).toEqual([
      expect.stringMatching(/^other sections do not know the type "Money", which an exposed /),
    ]);
  });

  test("are an error with the last output of a compiler that crashes", async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, {
      "tsconfig.json": "{}",
      "node_modules/typescript/package.json": '{ "bin": { "tsc": "tsc.js" } }',
      "node_modules/typescript/tsc.js": 'console.error("RangeError: out of stack"); process.exitCode = 1;',
    });
    await expect(writeDeclarations(folder, EXPOSES, path.join(folder, "out"))).rejects.toThrow(
      /tsc\.js failed \(exit code 1\):\nRangeError: out of stack$/,
    );
    expect(await readdir(folder)).toEqual(["node_modules", "tsconfig.json"]);
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
  const live = {
    catalog: remote("catalog", { "./PriceTag": {} }),
    legal: remote("legal", {}),
    // A section without TypeScript.
    plain: remote("plain", { "./Map": {} }),
  };
  /** Responses by URL path. Undefined for none. */
  const special = new Map<string, Buffer | undefined>();
  const server = createServer(({ url = "" }, response) => {
    if (special.has(url)) {
      const content = special.get(url);
      if (content) response.end(content);
    } else if (url === "/") response.end(document);
    else if (url === "/_remotes/42") response.end(JSON.stringify(live));
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
    special.clear();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const invalid = (name: string, changes: object): Buffer =>
    Buffer.from(JSON.stringify({ ...live, [name]: { ...remote("catalog", { "./PriceTag": {} }), ...changes } }));
  const [REMOTES, ARCHIVE] = ["/_remotes/42", "/assets/catalog/1.0.0/types.tgz"];

  test("makes a wrong prop and a wrong name compile errors, and warns of a package that the section lacks", async () => {
    const uses = [
      '<Remote from="catalog" module="PriceTag" product="tea" tone="quiet" size={2} />',
      '<Remote from="plain" module="Map" place="here" />',
      '<Remote from="catalog" module="PriceTag" product="tea" tone="shrill" />',
      '<Remote from="catalog" module="PriceTag" product="tea" size={3} />',
      '<Remote from="plain" module="Mop" />',
    ];
    const source =
      `import { Remote } from "@colonnade/kit/remotes"; export const uses = [\n${uses.join(",\n")}];\n` +
      // The other section reads a value of this name, too, and one that this section does not have.
      'import { useConfig } from "@colonnade/kit"; interface Config { readonly pageSize: string }\n' +
      "export const size = (): string => useConfig<Config>().pageSize;\n" +
      "export const currency = () => useConfig<Config>().currency;\n" +
      'import { defineChannel, defineExtension, type ChannelValue, type PropsOf } from "@colonnade/kit/extensions";\n' +
      'import type { RemoteModules } from "@colonnade/kit/remotes"; type Catalog = RemoteModules["catalog/PriceTag"];\n' +
      'type Props = PropsOf<Catalog["aside"]>; const data = ({ props }: { props: Props }) => ({ name: props.produce });\n' +
      "export const extension = defineExtension({ data, Component: ({ props }) => <b>{props.brand}</b> });\n" +
      'export const cart = defineChannel<ChannelValue<Catalog["cart"]>>("catalog/cart"); cart.publish({ product: 7 });\n';
    const folder = await nativeSection({ "tsconfig.json": TSCONFIG, "src/uses.tsx": source });
    // The section uses nothing of this one, whose types need the package, too.
    special.set(REMOTES, invalid("unused", {}));
    const { out, err, code } = await runSection(folder, ["types", "--site", site]);
    expect([out, code]).toEqual(["catalog/PriceTag\nunused/PriceTag\n", 0]);
    expect(err).toMatch(
      /^warning: the types of other sections need what is missing here, and TypeScript takes it for `any`; /,
    );
    expect(err.split("\n").slice(1)).toEqual([
      expect.stringMatching(
        /^\.colonnade\/types\/catalog\/_\/\S+\(1,\d+\): error TS2307: Cannot find module 'shapes' /,
      ),
      "",
    ]);
    // Node.js resolves no import without an extension.
    for (const args of [[], ["--module", "nodenext", "--moduleResolution", "nodenext"]]) {
      const lines = await runCompiler(path.join(NODE_MODULES, "typescript-7/bin/tsc"), folder, args);
      const errors = lines.map((line) => /^src\/uses\.tsx\((\d+),\d+\): error TS\d+: \w+ '?(\S+)/.exec(line)?.slice(1));
      expect(errors.filter(Boolean)).toEqual([
        ["4", `"shrill"'`],
        ["5", "3'"],
        ["6", `"Mop"'`],
        ["9", "currency'"],
        ["12", "produce'"],
        ["13", "brand'"],
        ["14", "number'"],
      ]);
    }
  });

  test.each([
    ["legal", 'the section "legal" exposes no module'],
    ["shop", 'the section "shop" is not live'],
  ])("of %s is an error that names the sections with modules, and keeps the types", async (name, problem) => {
    const folder = await helloSection({ [`${TYPES_FOLDER}/remotes.d.ts`]: "export {};" });
    expect(await runSection(folder, ["types", name, "--site", site])).toEqual(
      failure(`${problem} at ${site}; expected one of catalog, plain`),
    );
    expect(await readdir(path.join(folder, TYPES_FOLDER))).toEqual(["remotes.d.ts"]);
  });

  const PATH = "expected a path below /assets/";
  const MODULE = 'expected a name such as "./PriceTag"';
  const GATEWAY = "expected those of a gateway";
  test.each([
    [REMOTES, "is not a JSON object; expected that of a gateway", Buffer.from("<p>Welcome</p>")],
    [REMOTES, "is not a JSON object; expected that of a gateway", Buffer.from("null")],
    [REMOTES, `has no entry or exposes of the section "shop"; ${GATEWAY}`, invalid("shop", { exposes: null })],
    [REMOTES, `has no entry or exposes of the section "shop"; ${GATEWAY}`, invalid("shop", { entry: undefined })],
    [
      REMOTES,
      'has the section "../.."; expected a lowercase letter followed by up to 31 of a-z, 0-9 and "-"',
      invalid("../..", {}),
    ],
    [
      REMOTES,
      `has the module "./../../x" of the section "shop"; ${MODULE}`,
      invalid("shop", { exposes: { "./../../x": {} } }),
    ],
    [
      REMOTES,
      `has the module "./x\\");y(\\"" of the section "shop"; ${MODULE}`,
      invalid("shop", { exposes: { './x");y("': {} } }),
    ],
    [
      REMOTES,
      `has the entry "http://127.0.0.1:1/assets/entry.js" of the section "shop"; ${PATH}`,
      invalid("shop", { entry: "http://127.0.0.1:1/assets/entry.js" }),
    ],
    [
      REMOTES,
      `has the entry "/assets/../admin/" of the section "shop"; ${PATH}`,
      invalid("shop", { entry: "/assets/../admin/" }),
    ],
    [ARCHIVE, "is no archive of types (Error: incorrect header check)", Buffer.from("<p>Welcome</p>")],
  ])("of a site whose %s %s are an error, and keep the types", async (url, problem, response) => {
    special.set(url, response);
    const folder = await helloSection({ [`${TYPES_FOLDER}/remotes.d.ts`]: "export {};" });
    expect(await runSection(folder, ["types", "--site", site])).toEqual(
      failure(`${site}${url} ${problem}`, "unavailable"),
    );
    expect(await readdir(path.join(folder, ".colonnade"))).toEqual(["types"]);
    expect(await readdir(path.join(folder, TYPES_FOLDER))).toEqual(["remotes.d.ts"]);
  });

  test.each([
    ["PriceTag.js", false],
    ["../PriceTag.d.ts", false],
    ["\u202e.d.ts", false],
    ["Link.d.ts", true],
  ])("of an archive with the file %j are an error, and keep the types", async (name, isLink) => {
    const url = "/assets/catalog/1.0.0/types.tgz";
    const source = await temporaryFolder();
    const files = [`a.d.ts`, `below/${name}`];
    // Above the folder of extraction, the archive has its own one.
    await writeFiles(source, { "a.d.ts": "", [`below/${name}`]: "" });
    if (isLink) await rm(path.join(source, "below", name));
    if (isLink) await symlink("../a.d.ts", path.join(source, "below", name));
    const onWriteEntry = (entry: tar.WriteEntry) => void (entry.path = entry.path.replace("below/", ""));
    special.set(url, await tar.create({ cwd: source, gzip: true, preservePaths: true, onWriteEntry }, files).concat());
    const folder = await helloSection({ [`${TYPES_FOLDER}/remotes.d.ts`]: "export {};" });
    expect(await runSection(folder, ["types", "--site", site])).toEqual(
      failure(
        `${site}${url} has the file ${JSON.stringify(name)}; expected a distinct one with the path of a declaration, of ` +
          'letters, digits and "_.@$+()[]-", such as "PriceTag.d.ts"',
        "unavailable",
      ),
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
    await writeFiles(large, { "a.d.ts": Buffer.alloc(17 * 1024 * 1024, randomBytes(1024)) });
    special.set(url, await tar.create({ cwd: large, gzip: true }, ["a.d.ts"]).concat());
    expect(await runSection(folder, ["types", "--site", site])).toEqual(
      failure(`${site}${url} has files of too many bytes; expected at most 16777216`, "unavailable"),
    );
  });

  test("of more sections than a minute suffices for are an error", async () => {
    const after = AbortSignal.timeout.bind(AbortSignal);
    const timeout = vi.spyOn(AbortSignal, "timeout");
    timeout.mockImplementation((time) => (time === 60_000 ? AbortSignal.abort() : after(time)));
    expect(await runSection(await helloSection(), ["types", "--site", site])).toEqual(
      failure(`${site} takes too long to send the types of 2 sections; expected at most 60 seconds`, "unavailable"),
    );
    timeout.mockRestore();
  });

  test("of one section keep those of the others, and the section's own are those of its sources", async () => {
    const config = { name: "hello", entry: "./src/section.ts", exposes: { "./Own": "./src/Own.tsx" } };
    const folder = await helloSection({
      "section.config.js": `export default ${JSON.stringify(config)};`,
      "src/Own.tsx": "",
      [`${TYPES_FOLDER}/plain/Map.d.ts`]: "",
    });
    special.set("/_remotes/42", Buffer.from(JSON.stringify({ ...live, hello: remote("hello", { "./Own": {} }) })));
    const { out } = await runSection(folder, ["types", "catalog", "--site", site]);
    expect(out).toBe("catalog/PriceTag\nplain/Map\n");
    const index = await readFile(path.join(folder, TYPES_FOLDER, "remotes.d.ts"), "utf8");
    expect(index.match(/"\w+\/.*/g)).toEqual([
      '"catalog/PriceTag": typeof import("./catalog/PriceTag.js");',
      '"hello/Own": typeof import("../../src/Own.js");',
      '"plain/Map": typeof import("./plain/Map.js");',
    ]);
  });

  test("that tsconfig.json does not include are a warning with the line to add", async () => {
    const folder = await nativeSection({ "tsconfig.json": TSCONFIG.replace(`,"${TYPES_FOLDER}"`, "") });
    const { err, code } = await runSection(folder, ["types", "--site", site]);
    expect([err, code]).toEqual([
      "warning: tsconfig.json does not include the types of other sections, so TypeScript accepts any module and any prop of " +
        `<Remote>; add "${TYPES_FOLDER}" to "include"\n`,
      0,
    ]);
  });

  test("of a site that is neither named nor reachable are an error with the option", async () => {
    const cause = new AggregateError([new Error("connect ECONNREFUSED ::1:8080")]);
    const request = vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("fetch failed", { cause }));
    const problem =
      "cannot fetch http://localhost:8080/ (connect ECONNREFUSED ::1:8080); name the site with --site <url>";
    expect(await runSection(await helloSection(), ["types"])).toEqual(failure(problem, "unavailable"));
    request.mockRestore();
  });

  test.each(["/", "/_remotes/42", "/assets/catalog/1.0.0/types.tgz"])(
    "of a site that does not answer %s are an error",
    async (url) => {
      special.set(url, undefined);
      const soon = AbortSignal.timeout.bind(AbortSignal);
      const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => soon(300));
      const { err, code } = await runSection(await helloSection(), ["types", "--site", site]);
      expect([err, code]).toEqual([
        expect.stringMatching(`^error: cannot fetch ${site}${url} \\(.* due to timeout\\)\n$`),
        6,
      ]);
      expect(timeout).toHaveBeenCalledWith(10_000);
      timeout.mockRestore();
    },
  );
});
