import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { loadConfig, UsageError } from "../build/config.js";
import { readContract } from "../build/entry.js";
import { CONTRACT } from "@colonnade/kit/contract";
import type { CommandContext, CommandResult } from "./context.js";
import { copyArchives, isArchiveNew, packageSources, vendoredArchive, type PackageSource } from "./packageSources.js";
import { PACKAGES, packageVersion, pinnedVersions } from "./scaffold.js";
import { formatTable } from "./table.js";
import { setVersions, type PackageChange } from "./upgradedPackages.js";

const run = promisify(execFile);
const MANIFEST = "package.json";

/** Options of an upgrade. */
interface UpgradeOptions {
  /** A version, or a folder with packed packages. Default: the version of this command. */
  readonly to?: string | undefined;
  /** Report the changes without making them. */
  readonly dryRun?: boolean;
  /** Change files even if there are uncommitted changes. */
  readonly force?: boolean;
}

/** What an upgrade changes. */
interface Upgrade {
  readonly packages: readonly PackageChange[];
  /** The specs of the packed packages that are copied, by name. Empty if the section has the same files. */
  readonly archives: Readonly<Record<string, string>>;
}

/** Adds `colonnade upgrade`. */
export function addUpgradeCommand(program: CommandUnknownOpts, { folder, printResult }: CommandContext): void {
  program
    .command("upgrade")
    .summary("upgrade this section to the versions of this command")
    .description(
      `Sets ${PACKAGES.join(", ")} and the packages that \`colonnade new\` pins to the versions of this command in ` +
        "package.json. Run the new command: `npx --package <new @colonnade/cli> colonnade upgrade`. Keeps later " +
        "versions of other packages.",
    )
    .option(
      "--to <version or folder>",
      `version of ${PACKAGES.join(" and ")}, or a folder with their packed files, which are copied to vendor/ ` +
        "(default: the version of this command)",
    )
    .option("--dry-run", "show what would change, without changing it")
    .option("--force", "change files even if there are uncommitted changes")
    .action(async (options) => {
      printResult(describe(await upgrade(folder, options), options.dryRun ?? false));
    });
}

/**
 * Upgrades the section in a folder. Writes nothing if it fails.
 *
 * @throws UsageError if the folder has no section, uncommitted changes could be lost, or this command has another contract.
 */
async function upgrade(folder: string, { to, dryRun = false, force = false }: UpgradeOptions): Promise<Upgrade> {
  const file = path.join(folder, MANIFEST);
  const manifest = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${String(error)}`, { cause: error });
  });
  const sources = await packageSources(to ?? packageVersion(), folder, folder, "--to");
  const specs = Object.fromEntries(sources.map(({ name, spec }) => [name, spec]));
  const { text, changes } = setVersions(file, manifest, { ...pinnedVersions(), ...specs });
  const replaced = changes.filter(({ name }) => name in specs);
  const vendored = replaced.find(({ from }) => isOutsideRegistry(from));
  if (vendored && to === undefined)
    throw new UsageError(
      `${file} gets ${vendored.name} from ${JSON.stringify(vendored.from)}, not from a registry; name the folder with the new packages with --to, such as --to ../packages`,
    );
  await requireContract(folder);
  const archives = await newArchives(sources);
  const isChanged = changes.length > 0 || Object.keys(archives).length > 0;
  if (!dryRun && isChanged) {
    if (!force) await requireCommitted(folder);
    if (changes.length > 0) await writeFile(file, text);
    await copyArchives(sources);
    for (const { from } of replaced) {
      const old = vendoredArchive(from);
      if (old !== undefined) await rm(path.join(folder, old), { force: true });
    }
  }
  return { packages: changes, archives };
}

async function newArchives(sources: readonly PackageSource[]): Promise<Record<string, string>> {
  const areNew = await Promise.all(sources.map(isArchiveNew));
  return Object.fromEntries(sources.filter((_, index) => areNew[index]).map(({ name, spec }) => [name, spec]));
}

/** Whether npm gets a package from a URL, a file or another protocol, instead of a registry. */
function isOutsideRegistry(spec: string): boolean {
  return /[:/]/.test(spec);
}

// A command of another contract would build the section as one of its own contract.
async function requireContract(folder: string): Promise<void> {
  const { entry } = await loadConfig(folder);
  const contract = await readContract(path.join(folder, entry));
  if (contract !== CONTRACT)
    throw new UsageError(
      `the section has contract ${String(contract)}, but this command supports contract ${String(CONTRACT)}; run \`colonnade upgrade\` of a version that supports contract ${String(contract)}`,
    );
}

async function requireCommitted(folder: string): Promise<void> {
  const { stdout } = await run("git", ["status", "--porcelain", "--", "."], { cwd: folder }).catch((error: unknown) => {
    throw new UsageError(
      `${folder} is not in a git repository, so the changes could not be undone; commit the section first, or use --force`,
      { cause: error },
    );
  });
  if (stdout !== "")
    throw new UsageError(`${folder} has uncommitted changes; commit them first, or use --force:\n${stdout.trimEnd()}`);
}

function describe(upgraded: Upgrade, dryRun: boolean): CommandResult {
  const { packages } = upgraded;
  const archives = Object.entries(upgraded.archives);
  const data = { ...upgraded, dryRun };
  if (packages.length === 0 && archives.length === 0)
    return { text: `already up to date with version ${packageVersion()}`, data };
  // Without the packages, npm keeps installed ones of the same version, and their hashes in package-lock.json.
  const install = ["npm install", ...archives.map(([name, spec]) => `${name}@${spec}`)].join(" ");
  const text = [
    dryRun ? "would change:" : "changed:",
    ...(packages.length > 0 ? [packageTable(packages)] : []),
    ...archives.map(([, spec]) => `  ${spec.replace(/^file:/, "")}`),
    ...(dryRun ? [] : ["", `next: ${install}, npm test, npx --no colonnade check`]),
  ];
  return { text: text.join("\n"), data };
}

function packageTable(packages: readonly PackageChange[]): string {
  return formatTable(packages.map(({ name, from, to }) => [`  ${name}`, from, "to", to]));
}
