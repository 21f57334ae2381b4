// docs/spec/release.schema.json and the gateway accept and reject the same manifests, as far as a schema can express it.
import { execFile } from "node:child_process";
import { cp, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import { callAdmin, readRelease, RELEASE_FOLDER, type AdminAccess, type Release } from "@colonnade/cli";

import { expect, test } from "../support/own-site";
import { schemaProblems } from "../support/release-schema";
import { PACKAGES, ROOT } from "../support/repository.mjs";

const run = promisify(execFile);

type Page = Release["pages"][number];

const RELEASE_FILE = "release.json";

/** The manifest as parsed from JSON: without undefined fields. */
function json(manifest: object): Release {
  return JSON.parse(JSON.stringify(manifest)) as Release;
}

function withPage(release: Release, changes: Partial<Page>): object {
  const [page] = release.pages;
  return { ...release, pages: [{ ...page, ...changes }] };
}

function withFile(release: Release, changes: object): object {
  const [file, ...others] = release.files;
  return { ...release, files: [{ ...file, ...changes }, ...others] };
}

const POINT = { id: "plain/aside", version: 1, max: 16, examples: [{ city: "Austin" }, {}] };

function withPoint(release: Release, changes: Partial<typeof POINT>): object {
  return { ...release, extensionPoints: [{ ...POINT, ...changes }] };
}

function withExtension(release: Release, changes: object): object {
  return { ...release, extensions: [{ point: "a-1/b@20", order: -1, assets: ["client/entry.js"], ...changes }] };
}

function withLink(release: Release, changes: object): object {
  const link = { to: "shell/footer", label: "ä".repeat(64), path: "/plain/Welsh#words", order: -1 };
  return { ...release, navigation: [{ ...link, ...changes }] };
}

function pathsOf(...paths: string[]): Partial<Page> {
  return { paths: paths.map((named) => ({ path: named, indexable: false })) };
}

/** All that documents can need. */
const POLICY = {
  images: ["cdn.example.com", "*.example.com:8443", "localhost:3000", "127.0.0.1"],
  ...{ fonts: [], connections: ["a-1.b"], frames: ["a.b"], media: ["a.b"] },
  styleAttributes: true,
  styleElements: [`sha256-${"a+/".repeat(14)}b=`],
  workers: false,
  features: ["geolocation", "xr-spatial-tracking"],
  trustedTypes: "report",
};

/** Valid changes of a manifest. */
const VALID: readonly ((release: Release) => object)[] = [
  (release) => ({ ...release, version: "1.0.0-rc.1+build.7" }),
  (release) => ({ ...release, version: "1.0.1", container: "$_0" }),
  (release) => ({ ...release, version: "1.0.2", modules: undefined }),
  (release) => ({ ...release, version: "1.0.3", pages: [] }),
  (release) => ({ ...release, version: "1.0.5", shared: { react: "^18.2 || >=19.0.0 <20.0.0-0", vue: "3.x || *" } }),
  (release) => withPage({ ...release, version: "1.0.6" }, { pattern: "/plain/:a/b.c~d/:_e", paths: [] }),
  (release) => withPage({ ...release, version: "1.0.7" }, { pattern: "/", ...pathsOf("/") }),
  (release) => withPage({ ...release, version: "1.0.8" }, pathsOf("/plain/S%C3%A3o%20Paulo", "/plain/a+b'c")),
  (release) => withFile({ ...release, version: "1.0.9" }, { type: "text/javascript" }),
  (release) => ({ ...release, version: "1.0.10", exposes: [{ name: "./a-1/B_c", assets: ["client/entry.js"] }] }),
  (release) => ({ ...release, version: "1.0.11", facts: { isHiring: "boolean" }, config: { Page_size2: "number[]" } }),
  (release) => ({ ...release, version: "1.0.15", policy: POLICY }),
  (release) =>
    withPage({ ...release, version: "1.0.12", extensionPoints: [POINT] }, { extensionPoints: ["plain/aside@1"] }),
  (release) => withExtension({ ...release, version: "1.0.13" }, {}),
  (release) => withLink({ ...release, version: "1.0.14" }, {}),
];

/** Invalid changes of a manifest, with a part of the gateway's problem. */
const INVALID: readonly (readonly [problem: string, change: (release: Release) => object])[] = [
  ["unknown field `homepage`", (release) => ({ ...release, homepage: "/" })],
  ...(["name", "version", "kind", "contract", "entry", "styles", "assets", "pages", "shared", "files"] as const).map(
    (field) => [`missing field \`${field}\``, (release: Release) => ({ ...release, [field]: undefined })] as const,
  ),
  ["name `Plain` must match", (release) => ({ ...release, name: "Plain" })],
  ["must match [a-z][a-z0-9-]{0,31}", (release) => ({ ...release, name: "a".repeat(33) })],
  ["the name `shell` and the kind `shell`", (release) => ({ ...release, name: "shell" })],
  ["the shell has no `container`", (release) => ({ ...release, name: "shell", kind: "shell" })],
  ["version `1.0` is not", (release) => ({ ...release, version: "1.0" })],
  ["version `01.0.0` is not", (release) => ({ ...release, version: "01.0.0" })],
  ["is not a semantic version", (release) => ({ ...release, version: `1.0.0-${"a".repeat(128)}` })],
  ["unknown variant `page`", (release) => ({ ...release, kind: "page" })],
  ["contract 2 is not supported", (release) => ({ ...release, contract: 2 })],
  ["a section needs `container`", (release) => ({ ...release, container: undefined })],
  ["container `a-b` is not", (release) => ({ ...release, container: "a-b" })],
  ["container `window` of plain could be", (release) => ({ ...release, container: "window" })],
  ["container `__proto__` of plain could be", (release) => ({ ...release, container: "__proto__" })],
  ["only the shell has `styles`", (release) => ({ ...release, styles: ["client/entry.js"] })],
  ["only the shell has `icon`", (release) => ({ ...release, icon: "client/entry.js" })],
  ["only the shell has `themeColor`", (release) => ({ ...release, themeColor: { light: "#ffffff", dark: "#000000" } })],
  ["which is not below client/", (release) => ({ ...release, entry: "server/index.js" })],
  ["which is not a listed file below server/", (release) => ({ ...release, modules: { section: "client/entry.js" } })],
  ["`latest` is not a version range", (release) => ({ ...release, shared: { react: "latest" } })],
  ["`1.0.0 - 2.0.0` is not", (release) => ({ ...release, shared: { react: "1.0.0 - 2.0.0" } })],
  ["extension point `plain/A`: expected `plain/`", (release) => withPoint(release, { id: "plain/A" })],
  ["version 0 must be from 1", (release) => withPoint(release, { version: 0 })],
  ["version 1000000000 must be", (release) => withPoint(release, { version: 1_000_000_000 })],
  ["max 17 must be from 1 to 16", (release) => withPoint(release, { max: 17 })],
  ["has 0 examples", (release) => withPoint(release, { examples: [] })],
  [
    "has 21 examples",
    (release) => withPoint(release, { examples: Array.from({ length: 21 }, () => ({ city: "Nome" })) }),
  ],
  ["invalid type: string", (release) => withPoint(release, { examples: ["Austin"] as never[] })],
  ["has 33 extension points", (release) => ({ ...release, extensionPoints: Array(33).fill(POINT) })],
  [
    "has the extension point `plain/aside@1` twice",
    (release) =>
      withPage({ ...release, extensionPoints: [POINT] }, { extensionPoints: Array(2).fill("plain/aside@1") }),
  ],
  ["`plain/aside@01` is not a reference", (release) => withExtension(release, { point: "plain/aside@01" })],
  ["invalid type: floating point `0.5`", (release) => withExtension(release, { order: 0.5 })],
  ["which is not below client/", (release) => withExtension(release, { assets: ["server/index.js"] })],
  ["unknown variant `shell/side`", (release) => withLink(release, { to: "shell/side" })],
  ["expected a label of 1 to 64 characters", (release) => withLink(release, { label: "a".repeat(65) })],
  ["expected a label of 1 to 64 characters", (release) => withLink(release, { label: " " })],
  ["expected a label of 1 to 64 characters", (release) => withLink(release, { label: "a\nb" })],
  ["expected a path of at most 512", (release) => withLink(release, { path: "/plain/Welsh#the words" })],
  ["expected a path of at most 512", (release) => withLink(release, { path: `/plain/Welsh#${"a".repeat(512)}` })],
  [
    "has 33 links in `navigation`",
    (release) => ({
      ...release,
      navigation: Array(33).fill({ to: "shell/menu", label: "Welsh", path: "/plain/Welsh" }),
    }),
  ],
  ["exposed module `B` must be", (release) => ({ ...release, exposes: [{ name: "B", assets: [] }] })],
  ["facts `opening-hours`: expected a name", (release) => ({ ...release, facts: { "opening-hours": "string" } })],
  ["config `2nd`: expected a name", (release) => ({ ...release, config: { "2nd": "string" } })],
  ...["*", "*.com", "cdn", "https://a.example", "a.example/b", "a.b; c", "A.example", "a.b:x", "a.b:65536", "-a.b"].map(
    (host): (typeof INVALID)[number] => ["is not a host", (release) => ({ ...release, policy: { images: [host] } })],
  ),
  ["is not a hash", (release) => ({ ...release, policy: { styleElements: ["sha256-a"] } })],
  ["policy.workers: is of type string", (release) => ({ ...release, policy: { workers: "yes" } })],
  [
    "is not a feature that documents are denied",
    (release) => ({ ...release, policy: { features: ["clipboard-read"] } }),
  ],
  ["policy.trustedTypes: `off` is not a mode", (release) => ({ ...release, policy: { trustedTypes: "off" } })],
  ["policy: unknown key `scripts`; expected one of `images`", (release) => ({ ...release, policy: { scripts: [] } })],
  ["unknown variant `list`", (release) => ({ ...release, config: { pageSize: "list" } })],
  ["is the section itself", (release) => ({ ...release, exposes: [{ name: "./section", assets: [] }] })],
  ["must begin with a slash", (release) => withPage(release, { pattern: "plain" })],
  ["must not end with a slash", (release) => withPage(release, { pattern: "/plain/" })],
  ["has an empty segment", (release) => withPage(release, { pattern: "/plain//x" })],
  ["may only hold letters", (release) => withPage(release, { pattern: "/pl ain" })],
  ["the param `:1` must be", (release) => withPage(release, { pattern: "/plain/:1" })],
  ["means this or the parent folder", (release) => withPage(release, { pattern: "/plain/.." })],
  ["paths below `/api` belong", (release) => withPage(release, { pattern: "/api/plain" })],
  ["paths below `/_plain` belong", (release) => withPage(release, { pattern: "/_plain" })],
  ["path `/plain/ã` is not", (release) => withPage(release, pathsOf("/plain/ã"))],
  ["is not a valid path below client/", (release) => withFile(release, { path: "client/../entry.js" })],
  ["is not a valid path below client/", (release) => withFile(release, { path: "client/a b.js" })],
  ["is not a valid path below client/", (release) => withFile(release, { path: "entry.js" })],
  ["visitors could read source map", (release) => withFile(release, { path: "client/entry.js.map" })],
  ["has no valid type", (release) => withFile(release, { type: "" })],
  ["has no valid type", (release) => withFile(release, { type: "text/javascript\r\nx: y" })],
  ["a digest must be", (release) => withFile(release, { digest: "sha384-AAAA" })],
  ["invalid value: integer `-1`", (release) => withFile(release, { size: -1 })],
];

/** Manifests that only the gateway rejects. The specification lists these rules separately. */
const INVALID_FOR_GATEWAY: typeof INVALID = [
  ["path `/plain/a?b` is not", (release) => withPage(release, pathsOf("/plain/a?b"))],
  ["which is not a listed file", (release) => ({ ...release, entry: "client/other.js" })],
  ["which must be a script", (release) => withFile(release, { type: "text/plain" })],
  ["has the param `:a` twice", (release) => withPage(release, { pattern: "/plain/:a/:a" })],
  [
    "collide",
    (release) => ({ ...release, pages: [...release.pages, { ...release.pages[0], pattern: "/plain/:who" }] }),
  ],
  ["is not one of page", (release) => withPage(release, pathsOf("/plain"))],
  [
    "lists 5001 paths; expected at most 5000",
    (release) => withPage(release, pathsOf(...Array.from({ length: 5001 }, (_, id) => `/plain/${String(id)}`))),
  ],
  [
    "extension point `a-1/b@20` is filled twice",
    (release) => ({ ...release, extensions: Array(2).fill({ point: "a-1/b@20", assets: [] }) }),
  ],
  ["navigation `/plain/Dutch`: expected the pattern", (release) => withLink(release, { path: "/plain/Dutch" })],
  [
    "navigation `/plain/Welsh` is listed twice",
    (release) => ({
      ...release,
      navigation: Array(2).fill({ to: "shell/menu", label: "Welsh", path: "/plain/Welsh" }),
    }),
  ],
  ["point `plain/aside@1` is listed twice", (release) => ({ ...release, extensionPoints: [POINT, POINT] })],
  ["point `other/aside`: expected `plain/`", (release) => withPoint(release, { id: "other/aside" })],
  [
    "which is not in the release's `extensionPoints`",
    (release) => withPage(release, { extensionPoints: ["plain/aside@1"] }),
  ],
  [
    "the examples of extension points have 65548 bytes",
    (release) => withPoint(release, { examples: [{ city: "x".repeat(65_533) }] as never[] }),
  ],
  ["files are not sorted", (release) => ({ ...release, files: release.files.toReversed() })],
  ["is listed twice", (release) => ({ ...release, files: [{ ...release.files[0], size: 1 }, ...release.files] })],
  ["missing in the archive", (release) => withFile(release, { path: "client/entry-2.js" })],
  ["is not listed in `release.json`", (release) => ({ ...release, files: release.files.slice(1) })],
  ["bytes instead of 1", (release) => withFile(release, { size: 1 })],
  ["does not match its digest", (release) => withFile(release, { digest: release.files[1]?.digest })],
];

type Upload = (name: string, version: string, manifest: object) => Promise<number>;

/** Returns a function that uploads the files in a release folder with another manifest, as any client of the admin API. */
function uploader(folder: string, access: AdminAccess): Upload {
  return async (name, version, manifest) => {
    await writeFile(path.join(folder, RELEASE_FILE), JSON.stringify(manifest));
    const { stdout } = await run("tar", ["-czf", "-", "-C", folder, "."], { encoding: "buffer" });
    const url = `/api/v1/sections/${name}/releases/${encodeURIComponent(version)}`;
    const { status } = await callAdmin(access, "PUT", url, { type: "application/gzip", bytes: stdout });
    return status;
  };
}

test("The schema and the gateway accept the same manifests", async ({ startOwnSite, folder }) => {
  for (const built of PACKAGES)
    expect.soft(schemaProblems(await readRelease(path.join(built, RELEASE_FOLDER))), built).toEqual([]);

  const { access } = await startOwnSite();
  const section = path.join(folder, "plain-section");
  await cp(path.join(ROOT, "examples/plain-section"), section, { recursive: true });
  await run(process.execPath, ["release.js"], { cwd: section });
  const example = await readRelease(path.join(section, RELEASE_FOLDER));
  // Without its link, whose page the changes replace.
  const release = json({ ...example, navigation: undefined });
  const upload = uploader(path.join(section, RELEASE_FOLDER), access);

  for (const change of VALID) {
    const manifest = json(change(release));
    expect.soft(schemaProblems(manifest), String(change)).toEqual([]);
    expect.soft(await upload(release.name, manifest.version, manifest), String(change)).toBe(201);
  }
  for (const [index, [problem, change]] of [...INVALID, ...INVALID_FOR_GATEWAY].entries()) {
    const manifest = json(change(release));
    const rejection = await upload(release.name, release.version, manifest).then(String, String);
    expect.soft(rejection, String(change)).toContain(problem);
    expect.soft(schemaProblems(manifest).length > 0, problem).toBe(index < INVALID.length);
  }
  // No rejected manifest took the version.
  expect(await upload(example.name, example.version, example)).toBe(201);
});
