import { once } from "node:events";
import path from "node:path";

import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";

import { loadConfig } from "../build/config.js";
import { lastSeenTarget } from "../build/buildTarget.js";
import { placeholderSettings, type FactType } from "../build/settings.js";
import { UsageError } from "../build/usageError.js";
import { warningsIn } from "../check/problem.js";
import { readSite } from "../dev/document.js";
import type { MinimalSite } from "../dev/minimalSite.js";
import { openInBrowser } from "./browser.js";
import type { CommandContext } from "./context.js";
import { apiOption, DEFAULT_SITE, parseOrigin, wholeNumber } from "./options.js";
import { printable } from "./printable.js";
import { readBuildTarget, savedTarget } from "./buildTarget.js";

const DEFAULT_PORT = 5173;

/** Adds `colonnade dev`. */
export function addDevCommand(program: CommandUnknownOpts, context: CommandContext): void {
  const { folder, stderr, printResult } = context;
  program
    .command("dev")
    .summary("serve a site with this section as you edit it")
    .description(
      "Serves a site on this machine with development builds of the sections in these folders (default: this folder). " +
        "A change of a source rebuilds its section. Everything else comes from the site. Nothing is published.",
    )
    .argument("[folders...]", "folders of the sections")
    .addOption(
      new Option(
        "--site <url>",
        `URL of the site (default: ${DEFAULT_SITE} if it responds, otherwise a site without other sections)`,
      ).argParser(parseOrigin),
    )
    .addOption(
      new Option("--port <number>", "port to listen on")
        .default(DEFAULT_PORT)
        .argParser(wholeNumber("a port number", 0, 65_535)),
    )
    .addOption(new Option("--host <address>", "address to listen on").default("127.0.0.1"))
    .addOption(apiOption("proxy requests below /api/<name>/ to this URL; repeatable"))
    .option("--open", "open the section in the default browser")
    .action(async (folders, { site: given, port, host, api, open = false }) => {
      const paths = (folders.length > 0 ? folders : ["."]).map((name) => path.resolve(folder, name));
      const minimal = given === undefined && !(await isSite(DEFAULT_SITE)) ? await minimalSite(paths) : undefined;
      const site = given ?? minimal?.origin ?? DEFAULT_SITE;
      try {
        const warnings = await readTargets(paths, minimal ? undefined : site, context);
        // Loading webpack takes longer than most commands.
        const { develop } = await import("../dev/index.js");
        const development = await develop({
          folders: paths,
          site,
          port,
          host,
          apis: api,
          buildTargetOf: minimal ? savedTarget : lastSeenTarget,
          print: (line) => stderr.write(`${printable(line)}\n`),
        });
        const { url, sections } = development;
        const where = minimal ? "a site without other sections" : site;
        const lines = sections.map((section) => `${section.url} serves ${section.name} in ${where}`);
        printResult({ text: lines.join("\n"), data: { url, site, sections }, warnings });
        if (open) await openInBrowser(sections[0]?.url ?? url, context);
        await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
        await development.close();
      } finally {
        minimal?.close();
      }
    });
}

/**
 * Reads the build targets of the sections, without a site those that are saved, and prints their budgets. Returns a warning for
 * each larger budget and each denied permission.
 */
async function readTargets(
  folders: readonly string[],
  site: string | undefined,
  { environment, stderr }: CommandContext,
): Promise<readonly string[]> {
  const { describeBudget, findIneffective } = await import("../check/budget.js");
  const { findDenied } = await import("../check/denied.js");
  const found = folders.map(async (folder) => {
    const config = await loadConfig(folder);
    const reading =
      site === undefined ? savedTarget(folder) : readBuildTarget(folder, { config, site, environment, stderr });
    // `develop` reports a site that does not respond.
    const buildTarget = await reading.catch(() => undefined);
    const context = { config, buildTarget };
    if (buildTarget || site === undefined) stderr.write(`${config.name}: ${describeBudget(context)}\n`);
    return warningsIn([...findIneffective(context), ...findDenied(context)]);
  });
  return (await Promise.all(found)).flat();
}

async function isSite(origin: string): Promise<boolean> {
  return readSite(origin).then(
    ({ document }) => document !== undefined,
    () => false,
  );
}

/** A site with the facts that the sections in these folders read. */
async function minimalSite(folders: readonly string[]): Promise<MinimalSite> {
  const { hasShell, startMinimalSite } = await import("../dev/minimalSite.js");
  const configs = await Promise.all(folders.map(loadConfig));
  const facts = configs.flatMap((config) => Object.entries<FactType>(config.facts ?? {}));
  if (hasShell()) return startMinimalSite(placeholderSettings({ facts: Object.fromEntries(facts) }).facts);
  throw new UsageError(
    `no gateway responds at ${DEFAULT_SITE}, and this package contains no shell; start a gateway, pass the URL of a site ` +
      "with --site, or build the shell with make releases",
  );
}
