import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

import { expect, test } from "vitest";

import { failure, runSection } from "../../fixtures/command.js";
import { helloSection, writeFiles, type Files } from "../../fixtures/temporary.js";
import { packageVersion, pinnedVersions } from "./scaffold.js";

// Unusual formatting, which must stay.
const MANIFEST = `{ "name": "hello", "version": "0.1.0",
\t"dependencies": {
\t\t"react" : "19.0.0", "@colonnade/kit":"0.0.9",
\t\t"left": "1.0.0"
\t},
    "devDependencies": { "typescript": "99.0.0", "vitest": "4.0.0", "@colonnade/cli": "0.0.8" },
  "scripts": { "react": "19.0.0" }
}`;

const PINNED = pinnedVersions();

async function section(files: Files = {}): Promise<string> {
  const folder = await helloSection({ "package.json": MANIFEST, ".gitignore": "node_modules\n", ...files });
  const git = (...args: string[]): void => {
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...args], { cwd: folder });
  };
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "x");
  return folder;
}

function manifestOf(folder: string): Promise<string> {
  return readFile(path.join(folder, "package.json"), "utf8");
}

test("upgrade sets the packages and those that they pin, and nothing else", async () => {
  const folder = await section();
  expect(await runSection(folder, ["upgrade"])).toEqual({
    code: 0,
    out: `changed:
  react           19.0.0  to  ${PINNED.react ?? ""}
  @colonnade/kit  0.0.9   to  ${packageVersion()}
  vitest          4.0.0   to  ${PINNED.vitest ?? ""}
  @colonnade/cli  0.0.8   to  ${packageVersion()}

next: npm install, npm test, npx --no colonnade check
`,
    err: "",
  });
  expect(await manifestOf(folder)).toBe(
    MANIFEST.replace('"react" : "19.0.0"', `"react" : "${PINNED.react ?? ""}"`)
      .replace("0.0.9", packageVersion())
      .replace("0.0.8", packageVersion())
      .replace("4.0.0", PINNED.vitest ?? ""),
  );
  expect((await runSection(folder, ["upgrade"])).out).toBe(`already up to date with version ${packageVersion()}\n`);
});

test("--dry-run changes nothing, also with uncommitted changes", async () => {
  const folder = await section();
  await writeFiles(folder, { "new.txt": "" });
  const { out } = await runSection(folder, ["upgrade", "--dry-run"]);
  expect(out).toMatch(/^would change:\n {2}react/);
  expect(await manifestOf(folder)).toBe(MANIFEST);
});

test("uncommitted changes are refused without --force", async () => {
  const folder = await section();
  await writeFiles(folder, { "new.txt": "" });
  expect(await runSection(folder, ["upgrade"])).toEqual(
    failure(`${folder} has uncommitted changes; commit them first, or use --force:\n?? new.txt`),
  );
  expect(await manifestOf(folder)).toBe(MANIFEST);
  expect((await runSection(folder, ["upgrade", "--force"])).code).toBe(0);
});

test("a folder outside of git is refused without --force", async () => {
  const folder = await helloSection({ "package.json": MANIFEST });
  const { code, err } = await runSection(folder, ["upgrade"]);
  expect({ code, err }).toEqual({
    code: 2,
    err: `error: ${folder} is not in a git repository, so the changes could not be undone; commit the section first, or use --force\n`,
  });
});

/** Packed packages of a version, in a folder. */
function packed(folder: string, version: string, text = version): Files {
  const names = ["kit", "cli"].map((name) => `colonnade-${name}-${version}.tgz`);
  return Object.fromEntries(names.map((name) => [`${folder}/${name}`, text]));
}

test("--to names a folder with packed packages", async () => {
  const folder = await section(packed("vendor", "1"));
  await writeFiles(path.dirname(folder), packed("packed", "2"));
  await runSection(folder, ["upgrade", "--to", "vendor"]);
  expect(await manifestOf(folder)).toContain('"@colonnade/kit":"file:vendor/colonnade-kit-1.tgz"');
  expect((await runSection(folder, ["upgrade", "--force", "--to", "../packed"])).code).toBe(0);
  const manifest = await manifestOf(folder);
  for (const name of ["kit", "cli"]) expect(manifest).toContain(`"file:vendor/colonnade-${name}-2.tgz"`);
  expect((await readdir(path.join(folder, "vendor"))).toSorted()).toEqual(
    ["cli", "kit"].map((name) => `colonnade-${name}-2.tgz`),
  );
  const { code, err } = await runSection(folder, ["upgrade"]);
  expect(code).toBe(2);
  expect(err).toContain(
    'gets @colonnade/kit from "file:vendor/colonnade-kit-2.tgz", not from a registry; name the folder with the new packages with --to',
  );
});

test("--to replaces packed packages that have the same name and other bytes", async () => {
  const folder = await section(packed("vendor", "1"));
  const archive = path.join(folder, "vendor/colonnade-kit-1.tgz");
  const to = ["upgrade", "--force", "--to", "../packed"];
  await writeFiles(path.dirname(folder), packed("packed", "1"));
  await runSection(folder, to);
  const unchanged = `already up to date with version ${packageVersion()}\n`;
  expect((await runSection(folder, to)).out).toBe(unchanged);
  await writeFiles(path.dirname(folder), { "packed/colonnade-kit-1.tgz": "rebuilt" });
  expect((await runSection(folder, [...to, "--dry-run"])).out).toBe("would change:\n  vendor/colonnade-kit-1.tgz\n");
  expect(await readFile(archive, "utf8")).toBe("1");
  expect((await runSection(folder, to)).out).toBe(`changed:
  vendor/colonnade-kit-1.tgz

next: npm install @colonnade/kit@file:vendor/colonnade-kit-1.tgz, npm test, npx --no colonnade check
`);
  expect(await readFile(archive, "utf8")).toBe("rebuilt");
  expect((await runSection(folder, to)).out).toBe(unchanged);
});

test.each([
  ["{", /package\.json is not JSON/],
  ['{ "dependencies": {} }', /does not depend on @colonnade\/kit/],
  ['{ "dependencies": { "@colonnade/kit": "0.0.9" } }', /does not depend on @colonnade\/cli/],
])("the package.json %j is refused", async (manifest, message) => {
  const { code, err } = await runSection(await section({ "package.json": manifest }), ["upgrade"]);
  expect(code).toBe(2);
  expect(err).toMatch(message);
});

test("a section of another contract is refused, and nothing changes", async () => {
  const folder = await section();
  const entry = path.join(folder, "src/section.ts");
  await writeFiles(folder, { "src/section.ts": (await readFile(entry, "utf8")).replace("contract: 1", "contract: 2") });
  expect(await runSection(folder, ["upgrade", "--force"])).toEqual(
    failure(
      "the section has contract 2, but this command supports contract 1; run `colonnade upgrade` of a version that supports contract 2",
    ),
  );
  expect(await manifestOf(folder)).toBe(MANIFEST);
});
