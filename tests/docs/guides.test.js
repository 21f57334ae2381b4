// Checks that the guides name only files, folders and commands that exist. tests/ship runs the commands of the tutorial, and the
// build of the documentation checks the links between its pages.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { Writable } from "node:stream";

import { describe, expect, test } from "vitest";

import { COMMANDS } from "../../kit/dist/cli/commands.js";
import { createProgram } from "../../kit/dist/cli/program.js";
import { parsePage } from "./markdown.js";
import { FILES, read, ROOT } from "./repository.js";

/** The files of a new section. Guides for section teams name its files and scripts. */
const TEMPLATE = "kit/templates/section";

// The content of sections is for visitors, and the API report is generated.
const PAGES = FILES.filter((file) => file.endsWith(".md") && !/\/content\/|^kit\/(api|fixtures)\//.test(file));

/** Files that a gateway or a section's build writes, or that a section can have. */
const OTHER_FILES = new Set([
  ...["live.json", "store.json", "preview-keys.json", "ticket-keys.json", "release.json"],
  ...["name.css", "name.module.css", "postcss.config.js", "tsconfig.app.json"],
  ...["tailwindcss/theme.css", "tailwindcss/utilities.css", "client/development.tgz"],
]);

/** Names with a slash that are no paths: packages, media types, annotations of Kubernetes. */
const NO_PATH = /^(@|react\/|(text|application|image)\/|[a-z]+\.amazonaws\.com\/)/;

const EXTENSION = /\.(rs|tsx?|m?js|json|jsonl|toml|md|ya?ml|css|html|sh|service|socket|lock|py|svg|cfg|sed)$/;

const folders = new Set(
  FILES.flatMap((file) => {
    const names = file.split("/");
    return names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"));
  }),
);
const paths = [...FILES, ...folders];
const known = new Set(paths);
const roots = new Set(paths.map((file) => file.replace(/\/.*/, "")));
const crates = new Set(paths.flatMap((file) => /^gateway\/crates\/([^/]+)$/.exec(file)?.slice(1) ?? []));

const packages = FILES.filter((file) => /^gateway\/(.*\/)?Cargo\.toml$/.test(file)).map(
  (file) => /^name = "(.+)"$/m.exec(read(file))?.[1],
);
const targets = [...read("Makefile").matchAll(/^([\w-]+):/gm)].map(([, target]) => target);
const gatewayCommands = {
  gateway: subcommands("gateway/src/cli.rs"),
  store: subcommands("gateway/src/store_command.rs"),
};
const sectionCommands = programFor([]).commands.map((command) => command.name());

describe.each(PAGES)("%s", (page) => {
  const { links, spans, commands } = parsePage(read(page));

  test("links to existing files and headings", () => {
    expect(problems(page, links, (target) => linkProblems(page, target))).toEqual([]);
  });

  test("names existing files and folders", () => {
    expect(problems(page, spans, (span) => pathProblems(page, span))).toEqual([]);
  });

  test("shows existing commands with valid arguments", () => {
    expect(problems(page, [...commands, ...spans], (text) => commandProblems(page, text))).toEqual([]);
  });
});

// The build of the documentation does not check these links.
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

test("docs/ci.md shows the workflow of a new section", () => {
  const [, workflow] = /^```yaml \[\.github\/workflows\/ci\.yml\]\n(.*?)^```$/ms.exec(read("docs/ci.md")) ?? [];
  expect(workflow).toBe(read(`${TEMPLATE}/.github/workflows/ci.yml`));
});

test.each(["README.md", "docs/tutorial.md", "docs/write-a-section.md", `${TEMPLATE}/README.md`])(
  "%s shows how to build, publish and deploy",
  (page) => {
    const shown = parsePage(read(page)).commands.map(({ text }) => text.replace(/ +#.*/, ""));
    expect(shown).toEqual(
      expect.arrayContaining(["npx section build", "npx section publish", "npx section deploy --rollout 10"]),
    );
  },
);

describe("a wrong guide", () => {
  test.each([
    ...["gateway/src/metrics.rs", "gateway/crates/{edge,sight}/src/metrics.rs", "edge/src/lisener.rs", "lisener.rs"],
    ...["shell/src/lodaing/", "tests/deploy/*.test.js", "gateway/crates/<name>/tests.rs", "crates/web/src/tests.rs::a"],
  ])("names the path %j", (span) => {
    expect(pathProblems("docs/architecture.md", span)).toEqual([expect.stringMatching(/does not exist$/)]);
  });

  test.each([
    ...["shell/src/loading", "gateway/crates/{edge,site}/src/metrics.rs", "edge/src/listener.rs", "listener.rs"],
    ...["target/release/gateway", "tests/deploy/*.test.ts", "text/html", "/api/cities", "live.json", ".module.css"],
  ])("is not one that names %j", (span) => {
    expect(pathProblems("docs/architecture.md", span)).toEqual([]);
  });

  test.each([
    ["make relases docs", "there is no target `relases`"],
    ["make clippy && make lnt # after edits", "there is no target `lnt`"],
    ["make test-rust CRATE=colonnade-sight", "there is no package `colonnade-sight`"],
    ["make test-rust CRATE=gateway FILTER=signup_limit::", "gateway/tests/signup_limit.rs does not exist"],
    ["make test-web FILE=shell/src/Sectoin.test.tsx", "shell/src/Sectoin.test.tsx does not exist"],
    ["make test-site FILE=rendering/hydration-eror", "there is no test in tests/rendering/hydration-eror"],
    ["npm run chekc", "there is no script `chekc`"],
    ["(cd bench && npm run check)", "there is no script `check`"],
    ["npx section deploy --rolout 10", "error: unknown option '--rolout'\n(Did you mean --rollout?)"],
    ["npx section publsh", "error: unknown command 'publsh'\n(Did you mean publish?)"],
    ["section undeploy legal", "section has no command `undeploy`"],
    ["gateway restart", "gateway has no command `restart`"],
    ["sudo -u colonnade gateway store move a b", "gateway store has no command `move`"],
    ["GATEWAY_PROFILE=release node bench/compar.mjs", "bench/compar.mjs does not exist"],
    ["cargo test -p colonnade-sight", "there is no package `colonnade-sight`"],
    ["npx vitest run shell/src/a.test.ts", "shell/src/a.test.ts does not exist"],
    ["cd kit/source", "kit/source does not exist"],
  ])("shows the command %j", (command, problem) => {
    expect(commandProblems("docs/contributing.md", command)).toContainEqual(expect.stringContaining(problem));
  });

  test.each([
    ...["make releases docs PORT=8090", "make", "npm run check", "npm ci", "npm run build --workspace docs"],
    ...['npx section deploy --reason "a \\"b\\""', "section deploy shell@1.0.0", "cd hello", "gateway --version"],
    ...["sudo -u colonnade gateway store verify --config site.toml | head", "cargo test -p colonnade-site routes::"],
    ...["make sure that it works", "node", "the gateway check"],
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

/**
 * @param {string} page @param {string} target
 */
function linkProblems(page, target) {
  const [link = "", fragment] = target.split("#");
  if (/^[a-z]+:/.test(link)) return [];
  const file = link === "" ? page : path.join(path.dirname(page), link);
  if (!exists(file)) return [`links to ${target}, which does not exist`];
  if (fragment === undefined || !file.endsWith(".md") || parsePage(read(file)).fragments.has(fragment)) return [];
  return [`links to ${target}, but ${file} has no such heading`];
}

/**
 * Checks a code span that can be a path. It begins at the root, at the folder of the crates, or anywhere: prose names files without
 * the folder that a heading or a sentence before has named.
 *
 * @param {string} page @param {string} span
 */
function pathProblems(page, span) {
  if (!/^[\w@.*{}<>…-]+(\/[\w@.,*{}<>…-]+)*\/?(::\w+)?$/.test(span) || NO_PATH.test(span)) return [];
  const name = span.replace(/::\w+$/, "").replace(/\/$/, "");
  const [root = "", ...rest] = name.split("/");
  const isPath = rest.length > 0 || EXTENSION.test(name) || (span.endsWith("/") && roots.has(root));
  if (!isPath || OTHER_FILES.has(name)) return [];
  return expandBraces(name)
    .filter((file) => !isNamed(page, file, span.endsWith("/")))
    .map((file) => `names \`${span}\`: ${file} does not exist`);
}

/**
 * @param {string} page @param {string} name @param {boolean} isFolder
 */
function isNamed(page, name, isFolder) {
  const folder = path.dirname(page);
  const [root = "", ...rest] = name.split("/");
  const isInCrate = rest.length > 0 && crates.has(root) && EXTENSION.test(name);
  const places = [path.join(folder, name), name, ...(isInCrate ? [`gateway/crates/${name}`] : [])];
  if (places.some(isTracked)) return true;
  // A path from the root, or from the folder of the crates, is complete.
  if ((rest.length > 0 && roots.has(root)) || isInCrate) return places.some(isIgnored);
  // Folders of the store, of a release and of a section.
  if (rest.length === 0 && isFolder && /^docs(\/|$)/.test(folder)) return true;
  // A placeholder stands for what only exists at run time.
  if (/[<>…]/.test(name)) return true;
  const end = pattern(name);
  return paths.some((file) => end.test(file)) || isIgnored(name);
}

/**
 * Whether a path from the root exists, or is output that Git ignores.
 *
 * @param {string} file
 */
function exists(file) {
  return isTracked(file) || isIgnored(file);
}

/**
 * @param {string} file
 */
function isTracked(file) {
  if (known.has(file.replace(/\/$/, "")) || file === ".") return true;
  return (
    /[*<>…]/.test(file) && roots.has(file.replace(/\/.*/, "")) && paths.some((other) => pattern(file, "^").test(other))
  );
}

/**
 * The pattern of the paths that end with a name, in which `*`, `…` and `<name>` stand for a part.
 *
 * @param {string} name
 */
function pattern(name, start = name.startsWith(".") ? "" : "(^|/)") {
  const parts = name.split(/(\*\*\/|\*|…|<[^>]*>)/).map((part, index) => {
    if (index % 2 === 0) return part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
    return part === "**/" ? "(.*/)?" : "[^/]+";
  });
  return new RegExp(`${start}${parts.join("")}$`);
}

/**
 * @param {string} name @returns {string[]}
 */
function expandBraces(name) {
  const [all, before = "", choices = "", after = ""] = /^(.*?)\{([^}]*)\}(.*)$/.exec(name) ?? [];
  if (all === undefined) return [name];
  return choices.split(",").flatMap((choice) => expandBraces(before + choice + after));
}

/**
 * @param {string} file
 */
function isIgnored(file) {
  if (file.startsWith("..")) return false;
  // A pattern such as `dist/` matches only folders. The exit code is 1 if no pattern matches.
  const { status } = spawnSync("git", ["check-ignore", "--no-index", file, `${file}/`], { cwd: ROOT });
  return status === 0;
}

/**
 * Checks each command of a line of a shell, or of a code span.
 *
 * @param {string} page @param {string} line
 */
function commandProblems(page, line) {
  let folder = scriptFolder(page);
  const found = [];
  for (const command of splitCommands(line)) {
    const words = splitWords(command);
    while (/^(\w+=.*|sudo|exec)$/.test(words[0] ?? "")) words.shift();
    if (words[0] === "-u") words.splice(0, 2);
    const [name = "", ...args] = words;
    if (name === "cd" && known.has(args[0] ?? "")) folder = args[0] ?? "";
    const check = CHECKS.get(path.basename(name));
    const messages = [
      ...(check?.(args, folder) ?? []),
      // The words of other commands can be texts.
      ...(check !== undefined || name === "cd"
        ? args.filter(isMissingPath).map((word) => `${word} does not exist`)
        : []),
    ];
    found.push(...messages.map((message) => `shows \`${command}\`: ${message}`));
  }
  return found;
}

/**
 * Whether a word of a command is a path from the root that does not exist.
 *
 * @param {string} word
 */
function isMissingPath(word) {
  const file = word.replace(/^FILE=/, "");
  return /^[\w.*-]+(\/[\w.*-]+)+\/?$/.test(file) && roots.has(file.replace(/\/.*/, "")) && !exists(file);
}

/** The checks of commands, which return what is wrong. `folder` has the package.json of the page. */
const CHECKS = new Map(
  /** @type {[string, (args: readonly string[], folder: string) => readonly string[]][]} */ ([
    ["make", makeProblems],
    ["npm", npmProblems],
    ["npx", npxProblems],
    ["cargo", cargoProblems],
    ["gateway", gatewayProblems],
    ["section", (args) => unknown(args[0], sectionCommands, "section has no command")],
    ["node", () => []],
  ]),
);

/**
 * @param {readonly string[]} args
 */
function makeProblems(args) {
  const values = Object.fromEntries(args.filter((arg) => arg.includes("=")).map((arg) => arg.split("=")));
  const names = args.filter((arg) => !arg.includes("=") && !arg.startsWith("-"));
  // Prose, such as "make sure that".
  if (names[0] === "sure") return [];
  const isBrowserTest = names[0] === "test-site" && values.FILE !== undefined;
  return [
    ...names.flatMap((name) => unknown(name, targets, "there is no target")),
    ...unknown(values.CRATE, packages, "there is no package"),
    ...(values.CRATE === "gateway" && values.FILTER !== undefined
      ? missing(`gateway/tests/${values.FILTER.replace(/::.*/, ".rs")}`)
      : []),
    ...(isBrowserTest && !FILES.some((file) => file.startsWith(`tests/${values.FILE}`) && /\.test\.ts$/.test(file))
      ? [`there is no test in tests/${values.FILE}`]
      : []),
  ];
}

/**
 * @param {readonly string[]} args @param {string} folder
 */
function npmProblems(args, folder) {
  const [command, name] = args;
  const option = args.findIndex((arg) => arg === "--workspace" || arg === "--prefix");
  const value = args[option + 1] ?? "";
  const packageFolder = option < 0 ? folder : args[option] === "--prefix" ? path.join(folder, value) : value;
  const { scripts = {} } = JSON.parse(read(`${packageFolder}/package.json`));
  const script = command === "run" || command === "run-script" ? name : command;
  return command === "run" || script === "test" || script === "start"
    ? unknown(script, Object.keys(scripts), "there is no script")
    : [];
}

/**
 * @param {readonly string[]} args
 */
function npxProblems(args) {
  const [name, ...rest] = args[0] === "--package" ? args.slice(2) : args;
  if (name === "vitest") return rest.filter((file) => /\.test\./.test(file)).flatMap(missing);
  if (name !== "section" && name !== "create-section") return [];
  // `npx section <command>`, in prose.
  if (name === "section" && !/^[a-z]/.test(rest[0] ?? "")) return [];
  return sectionProblems(name === "section" ? rest : ["new", ...rest]);
}

/**
 * Parses the arguments of `section` without running the command.
 *
 * @param {readonly string[]} args
 */
function sectionProblems(args) {
  const program = programFor(args);
  for (const command of program.commands) command.action(() => undefined);
  try {
    program.parse(args, { from: "user" });
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/**
 * @param {readonly string[]} args
 */
function cargoProblems(args) {
  const named = args.filter((_, index) => /^(-p|--package)$/.test(args[index - 1] ?? ""));
  return named.flatMap((name) => unknown(name, packages, "there is no package"));
}

/**
 * @param {readonly string[]} args
 */
function gatewayProblems(args) {
  const [command, subcommand] = args.filter((arg) => !arg.startsWith("-"));
  const wrong = unknown(command, gatewayCommands.gateway, "gateway has no command");
  return command === "store" ? unknown(subcommand, gatewayCommands.store, "gateway store has no command") : wrong;
}

/**
 * @param {string | undefined} name @param {readonly (string | undefined)[]} names @param {string} message
 */
function unknown(name, names, message) {
  return name === undefined || names.includes(name) ? [] : [`${message} \`${name}\``];
}

/**
 * @param {string} file
 */
function missing(file) {
  return exists(file) ? [] : [`${file} does not exist`];
}

/**
 * The folder whose package.json has the scripts that a page shows. Guides are for sections.
 *
 * @param {string} page
 */
function scriptFolder(page) {
  const folder = path.dirname(page);
  return folder !== "." && known.has(`${folder}/package.json`) && !folder.startsWith("docs") ? folder : TEMPLATE;
}

/**
 * Splits a line into commands, without comments and subshells.
 *
 * @param {string} line
 */
function splitCommands(line) {
  const command = line.replace(/(^| )#.*/, "").replace(/^ *\(|\)$/g, "");
  return command.split(/&&|\||;/).map((part) => part.replace(/ > .*/, "").trim());
}

/**
 * Splits a command into words. Double quotes join words.
 *
 * @param {string} command
 */
function splitWords(command) {
  return [...command.matchAll(/"((?:[^"\\]|\\.)*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/**
 * Lists the subcommands that a file declares for clap.
 *
 * @param {string} file
 */
function subcommands(file) {
  const [, variants = ""] = /derive\(Debug, Subcommand\)\]\n.*?\{\n(.*?)\n\}/s.exec(read(file)) ?? [];
  return [...variants.matchAll(/^ {4}([A-Z]\w*)/gm)].map(([, name = ""]) =>
    name.replace(/(?!^)[A-Z]/g, "-$&").toLowerCase(),
  );
}

/**
 * Creates the program `section`, which prints nothing.
 *
 * @param {readonly string[]} args
 */
function programFor(args) {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  return createProgram(args, { folder: ROOT, environment: {}, stdout: stream, stderr: stream }, COMMANDS);
}
