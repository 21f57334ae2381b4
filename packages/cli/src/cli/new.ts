import { readdir } from "node:fs/promises";
import path from "node:path";

import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";

import { EXPECTED_NAME, isSectionName, UsageError } from "../build/config.js";
import { checkPath } from "../build/folder.js";
import { patternProblem } from "../build/pattern.js";
import type { CommandContext } from "./context.js";
import { commandsFor, packageManagerOf } from "./packageManager.js";
import { copyArchives, packageSources } from "./packageSources.js";
import { createRepository } from "./repository.js";
import { packageVersion, pagePatterns, scaffold } from "./scaffold.js";

/** Adds `colonnade new`. */
export function addNewCommand(program: CommandUnknownOpts, context: CommandContext): void {
  defineNew(program.command("new").summary("create a section with two pages, in a new folder"), context);
}

/** Defines what `colonnade new` and `create-section` have in common. */
export function defineNew(command: CommandUnknownOpts, { folder, environment, printResult }: CommandContext): void {
  // The arguments of a new command are known.
  (command as Command)
    .argument("<name>")
    .description(
      "Creates a section that builds and passes its tests in the folder <name>, which must be empty or not exist. It has " +
        "pages, tests, a workflow for GitHub Actions and, unless the folder is within one, a Git " +
        "repository. Its files use the commands of the package manager that runs this command.",
    )
    .option("--at <path pattern>", "path of the home page, such as /hello or /hello/:who (default: /<name>)")
    .option(
      "--packages <version or folder>",
      "version of @colonnade/kit and @colonnade/cli, or a folder with their packed files, which are copied to vendor/ " +
        "(default: the version of this command)",
    )
    .action(async (name, { at, packages: value }) => {
      if (!isSectionName(name))
        throw new UsageError(`invalid section name ${JSON.stringify(name)}; expected ${EXPECTED_NAME}`);
      if (name === "shell") throw new UsageError('the name "shell" is reserved for the shell; expected another name');
      const pattern = at ?? `/${name}`;
      const problem = pattern.endsWith("/*")
        ? "the section has a second page below the first one; add a page of this pattern to the section instead"
        : pagePatterns(pattern).map(patternProblem).find(Boolean);
      if (problem)
        throw new UsageError(
          `invalid path pattern ${JSON.stringify(pattern)}: ${problem}; set another with --at, such as --at /hello`,
        );
      const target = path.join(folder, name);
      checkPath(target);
      await checkEmpty(target);
      const sources = await packageSources(value ?? packageVersion(), folder, target, "--packages");
      const packages = Object.fromEntries(sources.map((source) => [source.name, source.spec]));
      const packageManager = packageManagerOf(environment, folder);
      const files = await scaffold(target, { name, pattern, packages, packageManager });
      await copyArchives(sources);
      const hasNewRepository = await createRepository(target);
      const steps = commandsFor(packageManager, `cd ${name}\n  npm install\n  npm test\n  npx --no colonnade build`);
      const text = `created ${name}/ with a page at ${pattern}${hasNewRepository ? " and a Git repository" : ""}

  ${steps}

Commit the files and the lockfile: the workflow and \`colonnade upgrade\` need the commit.`;
      const { name: manager } = packageManager;
      const data = { name, folder: target, pattern, packages, packageManager: manager, hasNewRepository, files };
      printResult({ text, data });
    });
}

async function checkEmpty(target: string): Promise<void> {
  const entries = await readdir(target).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw new UsageError(`cannot create ${target} (${String(code)}); expected an empty folder or none`);
  });
  if (entries.length > 0) throw new UsageError(`${target} is not empty; expected an empty folder or none`);
}
