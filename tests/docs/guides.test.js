// Checks that the guides name only files, folders and commands that exist. tests/ship runs the commands of the tutorial.
import { describe, expect, test } from "vitest";

import { commandProblems, TEMPLATE } from "./commands.js";
import { parsePage } from "./markdown.js";
import { exists, linkProblems, pathProblems } from "./paths.js";
import { FILES, read } from "./repository.js";

// The content of sections is for visitors, and the API report is generated.
const PAGES = FILES.filter(
  (file) => file.endsWith(".md") && !/\/content\/|^packages\/(kit\/api|cli\/fixtures)\//.test(file),
);

test.each(PAGES)("%s has links to existing files and headings, existing paths and valid commands", (page) => {
  const { links, spans, commands } = parsePage(read(page));
  expect([
    ...problems(page, links, (target) => linkProblems(page, target)),
    ...problems(page, spans, (span) => pathProblems(page, span)),
    ...problems(page, [...commands, ...spans], (text) => commandProblems(page, text)),
  ]).toEqual([]);
});

// `linkProblems` does not see these links.
test.each([
  ["docs/.vitepress/config.ts", /link: "\/([^"#]*)/g],
  ["docs/index.md", /link: \/([^\s#}]*)/g],
])("%s links to existing pages", (file, link) => {
  const targets = [...read(file).matchAll(link)].map(([, target = ""]) => `docs/${target}`);
  const pages = targets.map((target) => (/\/$/.test(target) ? `${target}index.md` : `${target}.md`));
  expect(pages.length).toBeGreaterThan(5);
  expect(pages.filter((page) => !exists(page))).toEqual([]);
});

test("The sidebar has each page, except the lists of pages that others link to", () => {
  const links = new Set([...read("docs/.vitepress/config.ts").matchAll(/link: "\/([^"#]*)/g)].map(([, link]) => link));
  const pages = PAGES.flatMap((page) => /^docs\/(.+)\.md$/.exec(page)?.[1] ?? []);
  const missing = pages.filter((page) => !links.has(page.replace(/(^|\/)index$/, "$1")));
  expect(missing).toEqual(["recipes/index"]);
});

test("a new section is built for the site that it is deployed to", () => {
  const steps = read(`${TEMPLATE}/.github/workflows/ci.yml`).split("      - ").slice(-2);
  for (const [index, command] of ["npm run build", "npx --no colonnade deploy"].entries()) {
    expect(steps[index]).toContain(command);
    for (const name of ["COLONNADE_ADMIN", "COLONNADE_TOKEN"])
      expect(steps[index]).toContain(`          ${name}: \${{ secrets.${name} }}\n`);
  }
});

test("docs/ci.md shows the workflow of a new section", () => {
  const [, workflow] = /^```yaml \[\.github\/workflows\/ci\.yml\]\n(.*?)^```$/ms.exec(read("docs/ci.md")) ?? [];
  expect(workflow).toBe(read(`${TEMPLATE}/.github/workflows/ci.yml`));
});

// A permission of a whole workflow also lets the tests and the build get ID tokens.
test("Only single jobs may get ID tokens", () => {
  const lines = FILES.filter((file) => /\.(md|ya?ml)$/.test(file)).flatMap((file) =>
    [...read(file).matchAll(/^( *)id-token: write$/gm)].map(([, indent = ""]) => `${file}: ${String(indent.length)}`),
  );
  expect(lines).toEqual(["docs/ci.md: 6"]);
});

test.each(["README.md", "docs/tutorial.md", "docs/write-a-section.md", `${TEMPLATE}/README.md`])(
  "%s shows how to build, publish and deploy",
  (page) => {
    const shown = parsePage(read(page)).commands.map(({ text }) => text.replace(/ +#.*/, ""));
    expect(shown).toEqual(
      expect.arrayContaining([
        "npx --no colonnade build",
        "npx --no colonnade publish",
        "npx --no colonnade deploy --rollout 10",
      ]),
    );
  },
);

test.each(["README.md", "docs/your-own-shell.md"])("%s says how short a shell can be", (page) => {
  const [, most] = /\bfewer than (\d+)\s+lines of TypeScript/.exec(read(page)) ?? [];
  expect(read("examples/minimal-shell/src/shell.tsx").split("\n").length).toBeLessThan(Number(most));
});

test("An app moves in with as few lines as its recipe says", () => {
  const recipe = read("docs/recipes/app.md");
  const blockOf = (/** @type {string} */ file) => recipe.split(`[${file}]\n`)[1]?.split("```")[0]?.split("\n") ?? [];
  const added = [...blockOf("src/section.ts, in pages"), ...blockOf("src/pages/shop.tsx")].filter(
    (line) => line !== "",
  );
  const changed = blockOf("src/shop/App.tsx").filter((line) => line.includes("basename"));
  expect(changed).toHaveLength(2);
  const [, most] = /\bat most (\d+) new or changed lines/.exec(recipe.replaceAll(/\s+/g, " ")) ?? [];
  expect(added.length + changed.length).toBeLessThanOrEqual(Number(most));
});

test("Each page of a recipe that renders elements has the class page", () => {
  const component = /^ *Component: .*\(\n\s*(<.*)$/gm;
  const recipes = PAGES.filter((page) => page.startsWith("docs/recipes/"));
  const roots = recipes.flatMap((page) => [...read(page).matchAll(component)].map(([, root]) => `${page}: ${root}`));
  expect(roots.length).toBeGreaterThan(10);
  expect(roots.filter((root) => !root.includes(' className="page"'))).toEqual([]);
});

// tests/ship builds a section with this major version.
test("docs/vite-and-rspack.md installs Rspack and its command in the tested version", () => {
  const tested = /** @type {{ dependencies: Record<string, string> }} */ (JSON.parse(read("tests/package.json")));
  const major = tested.dependencies["@rspack/core"]?.split(".")[0];
  expect(read("docs/vite-and-rspack.md")).toContain(
    `npm install --save-dev @rspack/core@${major} @rspack/cli@${major}\``,
  );
});

// `npx` without `--no` runs a package of that name from the public registry if the folder has no such program: in CI without a
// question, with the tokens in its environment. npm itself takes an option that follows the program directly, except after `--`.
const UNSAFE_NPX = /\bnpx(?:"?,)? "?(?!--no\b|--package \.|--package <)[\w@.-]|\bnpx --no (?!-- )[\w@./-]+ -/;

test("No file runs a program that npx would fetch", () => {
  // The tests of the command install other package managers.
  const files = FILES.filter((file) => !/^packages\/cli\/src\/.*\.test\.ts$|^tests\/docs\//.test(file));
  const isUnsafe = (/** @type {string} */ line) => UNSAFE_NPX.test(line);
  const found = files.flatMap((file) =>
    read(file)
      .split("\n")
      .filter(isUnsafe)
      .map((line) => `${file}: ${line}`),
  );
  expect(found).toEqual([]);
  expect(["npx section publish", 'run("npx", "eslint")', "npx --no eslint --fix", "npx -p kit x"].every(isUnsafe)).toBe(
    true,
  );
});

describe("a wrong guide", () => {
  test.each([
    ...["gateway/src/metrics.rs", "gateway/crates/{edge,sight}/src/metrics.rs", "edge/src/lisener.rs", "lisener.rs"],
    ...[
      "packages/shell/src/lodaing/",
      "tests/deploy/*.test.js",
      "gateway/crates/<name>/tests.rs",
      "crates/web/src/tests.rs::a",
    ],
  ])("names the path %j", (span) => {
    expect(pathProblems("docs/architecture.md", span)).toEqual([expect.stringMatching(/does not exist$/)]);
  });

  test.each([
    ...[
      "packages/shell/src/loading",
      "gateway/crates/{edge,site}/src/metrics.rs",
      "edge/src/listener.rs",
      "listener.rs",
    ],
    ...["target/release/gateway", "tests/deploy/*.test.ts", "text/html", "/api/cities", "live.json", ".module.css"],
  ])("is not one that names %j", (span) => {
    expect(pathProblems("docs/architecture.md", span)).toEqual([]);
  });

  test.each([
    ["make relases docs", "there is no target `relases`"],
    ["make clippy && make lnt # after edits", "there is no target `lnt`"],
    ["make test-rust CRATE=colonnade-sight", "there is no package `colonnade-sight`"],
    ["make test-rust CRATE=gateway FILTER=signup_limit::", "gateway/tests/signup_limit.rs does not exist"],
    ["make test-web FILE=packages/shell/src/Sectoin.test.tsx", "packages/shell/src/Sectoin.test.tsx does not exist"],
    ["make test-site FILE=rendering/hydration-eror", "there is no test in tests/rendering/hydration-eror"],
    ["npm run chekc", "there is no script `chekc`"],
    ["(cd tests && npm run check)", "there is no script `check`"],
    ["npx --no colonnade deploy --rolout 10", "error: unknown option '--rolout'\n(Did you mean --rollout?)"],
    ["npx --no colonnade publsh", "error: unknown command 'publsh'\n(Did you mean publish?)"],
    ["colonnade undeploy legal", "colonnade has no command `undeploy`"],
    ["gateway restart", "gateway has no command `restart`"],
    ["sudo -u colonnade gateway store move a b", "gateway store has no command `move`"],
    ["GATEWAY_PROFILE=release node bench/compar.mjs", "bench/compar.mjs does not exist"],
    ["cargo test -p colonnade-sight", "there is no package `colonnade-sight`"],
    ["npx --no vitest run shell/src/a.test.ts", "shell/src/a.test.ts does not exist"],
    ["(cd tests && npx --no playwright test render/hydration)", "there is no test in tests/render/hydration"],
    ["cd packages/kit/source", "packages/kit/source does not exist"],
  ])("shows the command %j", (command, problem) => {
    expect(commandProblems("docs/contributing.md", command)).toContainEqual(expect.stringContaining(problem));
  });

  test.each([
    ...["make releases docs PORT=8090", "make", "npm run check", "npm ci", "npm run build --workspace docs"],
    ...[
      'npx --no colonnade deploy --reason "a \\"b\\""',
      "colonnade deploy shell@1.0.0",
      "cd hello",
      "gateway --version",
    ],
    ...["sudo -u colonnade gateway store verify --config site.toml | head", "cargo test -p colonnade-site routes::"],
    ...["(cd tests && npx --no playwright test rendering/hydration)", "node", "the gateway check"],
  ])("is not one that shows %j", (command) => {
    expect(commandProblems("docs/contributing.md", command)).toEqual([]);
  });
});

/**
 * Lists the problems of the parts of a page, with their places.
 *
 * @param {string} page @param {readonly import("./markdown.js").Part[]} parts @param {(text: string) => string[]} check
 */
function problems(page, parts, check) {
  return parts.flatMap(({ line, text }) => check(text).map((problem) => `${page}:${String(line)}: ${problem}`));
}
