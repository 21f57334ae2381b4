import { readFile, rm } from "node:fs/promises";
import path from "node:path";

import { describe, expect, test } from "vitest";

import { refusal, runSection } from "../../fixtures/command.js";
import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";

const KIT = path.resolve(import.meta.dirname, "../..");
const ROOT = path.dirname(KIT);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines: object;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as Manifest;
}

test("makes a section and says what to do next", async () => {
  const folder = await temporaryFolder();
  expect(await runSection(folder, ["new", "hello"], { COLONNADE_TOKEN: undefined })).toEqual({
    code: 0,
    out: `made hello/ with a page at /hello

  cd hello
  npm install
  npm test
  npx section build
`,
    err: "",
  });
  const section = path.join(folder, "hello");
  expect((await readManifest(section)).name).toBe("hello");
  expect(await readFile(path.join(section, "section.config.js"), "utf8")).toContain('name: "hello"');
  expect(await readFile(path.join(section, "src/section.ts"), "utf8")).toContain('"/hello": () => import');
  expect(await readFile(path.join(section, ".gitignore"), "utf8")).toContain("node_modules/\nrelease/\n");
});

test("--json prints what was made", async () => {
  const folder = await temporaryFolder();
  const { out } = await runSection(folder, ["new", "opening-hours", "--at", "/hours/:day", "--json"]);
  expect(JSON.parse(out)).toEqual({
    name: "opening-hours",
    folder: path.join(folder, "opening-hours"),
    pattern: "/hours/:day",
    kit: (await readManifest(KIT)).version,
    files: [
      ".gitignore",
      "README.md",
      "package.json",
      "section.config.js",
      "src/pages/home.module.css",
      "src/pages/home.tsx",
      "src/section.test.tsx",
      "src/section.ts",
      "tsconfig.json",
      "vitest.config.js",
    ],
  });
});

test("leaves no word of the template in what it makes", async () => {
  const folder = await temporaryFolder();
  const { out } = await runSection(folder, ["new", "opening-hours", "--at", "/hours/:day", "--json"]);
  const { files } = JSON.parse(out) as { files: string[] };
  for (const file of files) {
    const made = await readFile(path.join(folder, "opening-hours", file), "utf8");
    expect(made, file).not.toMatch(/section-(name|path|example)|Section title/);
  }
  const page = await readFile(path.join(folder, "opening-hours/src/pages/home.tsx"), "utf8");
  expect(page).toContain("<h1>Opening hours</h1>");
  expect(page).toContain('paths: () => ["/hours/example"]');
});

test("may use a folder that is there and empty", async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, { "hello/taken": "" });
  expect(await runSection(folder, ["new", "hello"])).toEqual(
    refusal(`${path.join(folder, "hello")} has something in it; expected an empty folder, or none`),
  );
  await rm(path.join(folder, "hello/taken"));
  expect((await runSection(folder, ["new", "hello"])).code).toBe(0);
});

test("uses what this repository uses", async () => {
  const folder = await temporaryFolder();
  await runSection(folder, ["new", "hello"]);
  const made = await readManifest(path.join(folder, "hello"));
  const [root, kit, shell] = await Promise.all([ROOT, KIT, path.join(ROOT, "shell")].map((used) => readManifest(used)));
  expect(made.engines).toEqual(kit?.engines);
  expect(made.dependencies).toEqual({
    "@colonnade/kit": kit?.version,
    react: shell?.dependencies.react,
    "react-dom": shell?.dependencies["react-dom"],
  });
  const { typescript, ...others } = made.devDependencies;
  expect(root?.devDependencies).toMatchObject(others);
  expect(root?.devDependencies["typescript-7"]).toBe(`npm:typescript@${String(typescript)}`);
});

describe("--kit", () => {
  test.each(["kit-0.1.0.tgz", "./kit-0.1.0.tgz", "file:kit-0.1.0.tgz"])(
    "%s is a file here, named as npm finds it from the section",
    async (spec) => {
      const folder = await temporaryFolder();
      await writeFiles(folder, { "kit-0.1.0.tgz": "" });
      await runSection(folder, ["new", "hello", "--kit", spec]);
      const { dependencies } = await readManifest(path.join(folder, "hello"));
      expect(dependencies["@colonnade/kit"]).toBe("file:../kit-0.1.0.tgz");
    },
  );

  test.each(["^0.1.0", "https://packages.example/kit-0.1.0.tgz"])("%s is taken as it is", async (spec) => {
    const folder = await temporaryFolder();
    await runSection(folder, ["new", "hello", "--kit", spec]);
    const { dependencies } = await readManifest(path.join(folder, "hello"));
    expect(dependencies["@colonnade/kit"]).toBe(spec);
  });

  test("a file that is not there is refused", async () => {
    const folder = await temporaryFolder();
    expect(await runSection(folder, ["new", "hello", "--kit", "./kit.tgz"])).toEqual(
      refusal(`--kit is "./kit.tgz", but ${path.join(folder, "kit.tgz")} is not there; expected the packed kit`),
    );
  });
});

describe("refuses", () => {
  const EXPECTED = 'expected a lower-case letter, then at most 31 of a-z, 0-9 and "-"';
  test.each([
    [[], "expected the new section's name and no other, such as section new hello"],
    [["hello", "again"], "expected the new section's name and no other, such as section new hello"],
    [["Hello"], `"Hello" is no section's name; ${EXPECTED}`],
    [["../hello"], `"../hello" is no section's name; ${EXPECTED}`],
    [["shell"], `"shell" is the shell's own name; expected another for a section`],
    [
      ["hello", "--at", "hello"],
      'the path pattern "hello" cannot be: it must begin with a slash; --at says another, such as /hello',
    ],
    [
      ["api"],
      'the path pattern "/api" cannot be: paths below "/api" belong to the gateway; --at says another, such as /hello',
    ],
  ])("%j", async (args, words) => {
    const folder = await temporaryFolder();
    expect(await runSection(folder, ["new", ...args])).toEqual(refusal(words));
  });

  test("a file of that name", async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, { hello: "" });
    expect(await runSection(folder, ["new", "hello"])).toEqual(
      refusal(`${path.join(folder, "hello")} cannot be made (ENOTDIR); expected an empty folder, or none`),
    );
  });
});
