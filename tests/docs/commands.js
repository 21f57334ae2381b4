import path from "node:path";
import { Writable } from "node:stream";

import { COMMANDS } from "../../packages/cli/dist/cli/commands.js";
import { programOf } from "../../packages/cli/dist/cli/program.js";
import { exists, isMissingPath } from "./paths.js";
import { FILES, read, ROOT } from "./repository.js";

/** The files of a new section. Guides for section teams show its scripts. */
export const TEMPLATE = "packages/cli/templates/section";

const packages = FILES.filter((file) => /^gateway\/(.*\/)?Cargo\.toml$/.test(file)).map(
  (file) => /^name = "(.+)"$/m.exec(read(file))?.[1],
);
const targets = [...read("Makefile").matchAll(/^([\w-]+):/gm)].map(([, target]) => target);
const gatewayCommands = {
  gateway: subcommands("gateway/src/cli.rs"),
  store: subcommands("gateway/src/store_command.rs"),
};
const sectionCommands = programFor([]).commands.map((command) => command.name());

/**
 * Checks each command of a line of a shell, or of a code span.
 *
 * @param {string} page @param {string} line
 */
export function commandProblems(page, line) {
  let folder = scriptFolder(page);
  const found = [];
  for (const command of splitCommands(line)) {
    const words = splitWords(command);
    while (/^(\w+=.*|sudo|exec)$/.test(words[0] ?? "")) words.shift();
    if (words[0] === "-u") words.splice(0, 2);
    const [name = "", ...args] = words;
    if (name === "cd" && exists(args[0] ?? "")) folder = args[0] ?? "";
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

/** The checks of commands, which return what is wrong. `folder` has the package.json of the page. */
const CHECKS = new Map(
  /** @type {[string, (args: readonly string[], folder: string) => readonly string[]][]} */ ([
    ["make", makeProblems],
    ["npm", npmProblems],
    ["npx", npxProblems],
    ["cargo", cargoProblems],
    ["gateway", gatewayProblems],
    ["colonnade", (args) => unknown(args[0], sectionCommands, "colonnade has no command")],
    ["node", () => []],
  ]),
);

/**
 * @param {readonly string[]} args
 */
function makeProblems(args) {
  const values = Object.fromEntries(args.filter((arg) => arg.includes("=")).map((arg) => arg.split("=")));
  const names = args.filter((arg) => !arg.includes("=") && !arg.startsWith("-"));
  const isBrowserTest = names[0] === "test-site" && values.FILE !== undefined;
  return [
    ...names.flatMap((name) => unknown(name, targets, "there is no target")),
    ...unknown(values.CRATE, packages, "there is no package"),
    ...(values.CRATE === "gateway" && values.FILTER !== undefined
      ? missing(`gateway/tests/${values.FILTER.replace(/::.*/, ".rs")}`)
      : []),
    ...(isBrowserTest ? browserTestProblems(values.FILE) : []),
  ];
}

/**
 * @param {string} start the path of a test in `tests`, or the beginning of it
 */
function browserTestProblems(start) {
  const isFound = FILES.some((file) => file.startsWith(`tests/${start}`) && file.endsWith(".test.ts"));
  return isFound ? [] : [`there is no test in tests/${start}`];
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
  const words = args.filter((arg) => !/^--(?:no)?$/.test(arg));
  const [name, ...rest] = words[0] === "--package" ? words.slice(2) : words;
  if (name === "playwright" && rest[0] === "test" && rest[1] !== undefined) return browserTestProblems(rest[1]);
  if (name === "vitest") return rest.filter((file) => /\.test\./.test(file)).flatMap(missing);
  if (name !== "colonnade" && name !== "create-section") return [];
  // `npx --no colonnade <command>`, in prose.
  if (name === "colonnade" && !/^[a-z]/.test(rest[0] ?? "")) return [];
  return sectionProblems(name === "colonnade" ? rest : ["new", ...rest]);
}

/**
 * Parses the arguments of `colonnade` without running the command.
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
    // `help` ends the program, too.
    if (error instanceof Error && "exitCode" in error && error.exitCode === 0) return [];
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
  return folder !== "." && FILES.includes(`${folder}/package.json`) && !folder.startsWith("docs") ? folder : TEMPLATE;
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
 * Creates the program `colonnade`, which prints nothing.
 *
 * @param {readonly string[]} args
 */
function programFor(args) {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  return programOf(COMMANDS)(args, { folder: ROOT, environment: {}, stdout: stream, stderr: stream });
}
