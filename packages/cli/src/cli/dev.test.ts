// The arguments and sites that `colonnade dev` rejects. tests/section-dev runs the command against a real gateway.
import { EventEmitter, on, once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

import * as tar from "tar";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { failure, runCompiled } from "../../fixtures/command.js";
import { helloSection, nativeSection, temporaryFolder, TSCONFIG, writeFiles } from "../../fixtures/temporary.js";
import { DEVELOPMENT_FORMAT } from "../build/developmentShell.js";
import type { ContentPolicy } from "../build/policy.js";
import type { Development } from "../dev/index.js";
import { CONTRACT } from "@colonnade/kit/contract";

const DOCUMENT =
  '<!doctype html><head><script src="/assets/shell/1.0.0/main.js"></script></head>' +
  '<body><div id="root"></div><script type="application/json" id="boot">{"site":{}}</script></body>';

const HEADERS = {
  "content-type": "text/html",
  "content-security-policy": "default-src 'self'",
  "permissions-policy": "camera=(), usb=()",
};

/** The manifest of a development variant that the section can use. */
const VARIANT = {
  format: DEVELOPMENT_FORMAT,
  contract: CONTRACT,
  version: "1.0.0",
  shared: { react: "19.3.1", "react-dom": "19.3.1", "@colonnade/kit": "0.1.0" },
  scripts: [],
  styles: [],
  server: "server.js",
};

let home = DOCUMENT;
let archive: Buffer | undefined;
/** The archive of another section's types. */
let typesArchive: Buffer | undefined;
/** The response of `/_build-target`. Undefined for none. */
let target: string | undefined;
/** The response of `/_remotes`. Undefined for none. */
let remotes: string | undefined;
/**
 * Emits `unanswered` with the response that the site does not send. Ends no idle connection: a build keeps the process from
 * noticing it before the next request.
 */
const server = createServer({ keepAliveTimeout: 0 }, ({ url }, response) => {
  if (url === "/") response.writeHead(200, HEADERS).end(home);
  else if (url === "/assets/shell/1.0.0/development.tgz" && archive) response.end(archive);
  else if (url === "/assets/shop/1.0.0/types.tgz") response.end(typesArchive);
  else if (url === "/_build-target/hello" && target) response.end(target);
  else if (url?.startsWith("/_remotes/") && remotes) response.end(remotes);
  else if (url?.startsWith("/_remotes/")) server.emit("unanswered", response);
  else response.writeHead(404).end();
});
let site: string;
let folder: string;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  site = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  folder = await helloSection();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sets the development variant of the site's shell. */
async function offerVariant(manifest: object): Promise<void> {
  const variant = await temporaryFolder();
  await writeFiles(variant, { "manifest.json": JSON.stringify(manifest), "client/main.js": "" });
  archive = await tar.create({ cwd: variant, gzip: true }, ["."]).concat();
}

function dev(...args: string[]) {
  return runCompiled(folder, ["dev", "--port", "0", ...args]);
}

test("the folder of a shell is an error with what to do, whatever the site", async () => {
  const shell = path.join(import.meta.dirname, "../../../../examples/minimal-shell");
  const { code, err } = await dev(shell, "--site", "http://127.0.0.1:1");
  expect(err).toContain(`${shell} contains a shell, and this command serves sections; `);
  expect(err).toContain("then run `colonnade dev --site <its URL>` in the folder of a section\n");
  expect(code).toBe(2);
});

test("an unreachable site is an error", async () => {
  const { code, err } = await dev("--site", "http://127.0.0.1:1");
  expect(err).toMatch(/^error: cannot reach http:\/\/127\.0\.0\.1:1 \(.*ECONNREFUSED.*\)\n$/);
  expect(code).toBe(6);
});

test("a site without a Colonnade shell is an error", async () => {
  home = "<!doctype html><p>Welcome</p>";
  expect(await dev("--site", site)).toEqual(
    failure(
      `${site} responded with status 200 and no page of a Colonnade site; expected the URL of a site with a deployment`,
    ),
  );
  home = DOCUMENT;
});

test("a shell without a development variant is an error", async () => {
  expect(await dev("--site", site)).toEqual(
    failure(
      `the shell of ${site} has no development variant (${site}/assets/shell/1.0.0/development.tgz does not exist); ask ` +
        "the site's operator to deploy a shell that was built with this version of @colonnade/cli or a later one",
    ),
  );
});

test("a shell of another contract is an error", async () => {
  await offerVariant({ format: DEVELOPMENT_FORMAT, contract: CONTRACT + 1 });
  const { code, err } = await dev("--site", site);
  expect(err).toContain(
    `supports contract ${String(CONTRACT + 1)}; this command supports contract ${String(CONTRACT)}: install the version of @colonnade/cli`,
  );
  expect(code).toBe(2);
});

test("a variant of another format is an error, after what a page may load and who sets it", async () => {
  target = JSON.stringify({ scriptKib: 40, extensionPoints: {}, shared: {}, policy: {} });
  await offerVariant({ format: DEVELOPMENT_FORMAT + 1, contract: CONTRACT });
  const { err } = await dev("--site", site);
  target = undefined;
  expect(err).toContain(
    `hello: a page loads at most 40 KiB of scripts (set by ${site}) and 8 KiB of stylesheets (the default); ` +
      "`colonnade check` measures it\n",
  );
  expect(err).toContain(`has a development variant of format ${String(DEVELOPMENT_FORMAT + 1)}; this command supports`);
});

test("a shell with an older React is an error", async () => {
  const shared = { react: "19.0.0", "react-dom": "19.3.1", "@colonnade/kit": "0.1.0" };
  await offerVariant({ ...VARIANT, shared });
  expect(await dev("--site", site)).toEqual(
    failure(
      `the section "hello" needs react ^19.3.1, but the site's shell 1.0.0 provides 19.0.0; install the version that the ` +
        "shell provides",
    ),
  );
});

test("a folder without a section is an error", async () => {
  await offerVariant(VARIANT);
  const empty = await temporaryFolder();
  expect(await dev("--site", site, empty)).toEqual(
    failure(`${empty} has no section.config.js; run this in the folder of a section`),
  );
});

test("two sections of one name are an error", async () => {
  expect((await dev("--site", site, folder, folder)).err).toBe(
    `error: ${folder} and ${folder} contain the section "hello"; expected sections of different names\n`,
  );
});

test("a port in use is an error", async () => {
  const { port } = server.address() as AddressInfo;
  expect(await runCompiled(folder, ["dev", "--site", site, "--port", String(port)])).toMatchObject({
    code: 2,
    err: `error: port ${String(port)} of 127.0.0.1 is in use; pass another one with --port\n`,
  });
});

test.each([
  ["--site", "https://site.example/path", "Expected the origin of a site, such as https://example.com."],
  ["--site", "https://me:secret@site.example", "Expected the origin of a site, such as https://example.com."],
  ["--api", "cities", "Expected a name and a URL, such as cities=http://localhost:3000."],
  ["--port", "99999", "Expected a port number, 0 to 65535."],
])("%s %s is an error", async (option, value, message) => {
  const { code, err } = await dev(option, value);
  expect(err).toContain(message);
  expect(code).toBe(2);
});

test("the builds, and the end of the command, do not wait for the types of other sections", async () => {
  const lines: string[] = [];
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal);
  const requested = once(server, "unanswered") as Promise<[ServerResponse]>;
  const development = await startDevelopment([folder], (line) => lines.push(line));
  const [response] = await requested;
  const ended = once(response, "close");
  await development.close();
  await ended;
  timeout.mockRestore();
  expect(lines.filter((line) => line.includes("types of other sections"))).toEqual([]);
});

test("the types of another section under development follow its builds, and incomplete ones are warnings", async () => {
  const remote = (name: string) => ({ entry: `/assets/${name}/1.0.0/entry.js`, exposes: { "./Old": {} } });
  remotes = JSON.stringify({ catalog: remote("catalog"), shop: remote("shop") });
  const types = await temporaryFolder();
  await writeFiles(types, { "Old.d.ts": 'export { shape } from "shapes";' });
  typesArchive = await tar.create({ cwd: types, gzip: true }, ["Old.d.ts"]).concat();
  // With an implicit `any`, which only the compiler options of this section allow.
  const priceTag = (type: string): string =>
    `const text = (value) => String(value);\n` +
    `export default function PriceTag(props: { readonly price: ${type} }) {\n  return <b>{text(props.price)}</b>;\n}\n`;
  const config = { name: "catalog", entry: "./src/section.ts", exposes: { "./PriceTag": "./src/PriceTag.tsx" } };
  const catalog = await nativeSection({
    "section.config.js": `export default ${JSON.stringify(config)};`,
    "src/PriceTag.tsx": priceTag("string"),
    "tsconfig.json": TSCONFIG.replace('"strict":true', '"strict":false'),
  });
  await writeFiles(folder, {
    "tsconfig.json": TSCONFIG,
    "src/Offer.tsx":
      'import { Remote } from "@colonnade/kit/remotes";\n' +
      'export const Offer = () => <Remote from="catalog" module="PriceTag" price={3} />;\n',
  });
  const output = new EventEmitter();
  const printed = async (text: string): Promise<void> => {
    for await (const [line] of on(output, "line")) if (String(line).includes(text)) return;
  };
  const incomplete = printed(".colonnade/types/shop/Old.d.ts(1,23): error TS2307: Cannot find module 'shapes'");
  const rejected = printed("hello: type error at src/Offer.tsx:2:");
  const development = await startDevelopment([folder, catalog], (line) => output.emit("line", line));
  await rejected;
  await incomplete;
  const accepted = printed("no problems");
  await writeFiles(catalog, { "src/PriceTag.tsx": priceTag("number") });
  await accepted;
  await development.close();
  // Not the sources, in which a compiler with other options finds errors.
  const index = await readFile(path.join(folder, ".colonnade/types/remotes.d.ts"), "utf8");
  expect(index).toContain('"catalog/PriceTag": typeof import("./catalog/PriceTag.js");');
});

test("a document may do what its section asks for, and what the site permits the section", async () => {
  const config = { name: "hello", entry: "./src/section.ts", policy: { workers: true, features: ["usb"] } };
  const section = await helloSection({ "section.config.js": `export default ${JSON.stringify(config)};` });
  const development = await startDevelopment([section], () => undefined, { styleAttributes: true });
  // Without a page of a section, the server passes it on.
  home = "<!doctype html>";
  const { headers } = await fetch(development.url);
  expect(headers.get("content-security-policy")).toBe(
    "default-src 'self'; worker-src 'self' blob:; style-src-attr 'unsafe-inline'",
  );
  expect(headers.get("permissions-policy")).toBe("camera=(), usb=(self)");
  await development.close();
});

/** Starts the command's server with a site that sections can use. */
async function startDevelopment(
  folders: readonly string[],
  print: (line: string) => void,
  policy: ContentPolicy = {},
): Promise<Development> {
  home = DOCUMENT;
  await offerVariant(VARIANT);
  const { develop } = await import("../../dist/dev/index.js");
  return develop({
    folders,
    site,
    port: 0,
    host: "127.0.0.1",
    apis: new Map(),
    buildTargetOf: () => Promise.resolve({ source: site, extensionPoints: {}, shared: {}, policy }),
    print,
  });
}
