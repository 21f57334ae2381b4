import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import type { CommandUnknownOpts } from "@commander-js/extra-typings";

import { loadConfig, UsageError } from "../build/config.js";
import { readContract } from "../build/entry.js";
import { CONTRACT } from "@colonnade/kit/contract";
import type { CommandContext, CommandResult } from "./context.js";
import { copyArchive, isArchiveNew, kitSource, vendoredArchive } from "./kitSource.js";
import { KIT, kitVersion, pinnedVersions } from "./scaffold.js";
import { formatTable } from "./table.js";
import { setVersions, type PackageChange } from "./upgradedPackages.js";

const run = promisify(execFile);
const MANIFEST = "package.json";

/** Options of an upgrade. */
interface UpgradeOptions {
  /** npm package spec of the kit. Default: this kit's version. */
  readonly to?: string | undefined;
  /** Report the changes without making them. */
  readonly dryRun?: boolean;
  /** Change files even if there are uncommitted changes. */
  readonly force?: boolean;
}

/** What an upgrade changes. */
interface Upgrade {
  readonly packages: readonly PackageChange[];
  /** The packed kit that is copied, relative to the section. Absent if the section has the same file. */
  readonly archive?: string;
}

/** Adds `colonnade upgrade`. */
export function addUpgradeCommand(program: CommandUnknownOpts, { folder, printResult }: CommandContext): void {
  program
    .command("upgrade")
    .summary("upgrade this section to the versions of this kit")
    .description(
      `Sets ${KIT} and the packages that \`colonnade new\` pins to the versions of this kit in package.json. ` +
        "Run the command of the new kit: `npx --package <new kit> colonnade upgrade`. Keeps later versions of other packages.",
    )
    .option(
      "--to <package spec>",
      `version, URL or tarball of ${KIT}, which is copied to vendor/ (default: this kit's version)`,
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
 * @throws UsageError if the folder has no section, uncommitted changes could be lost, or the kit has another contract.
 */
async function upgrade(folder: string, { to, dryRun = false, force = false }: UpgradeOptions): Promise<Upgrade> {
  const file = path.join(folder, MANIFEST);
  const manifest = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${String(error)}`, { cause: error });
  });
  const source = await kitSource(to ?? kitVersion(), folder, folder, "--to");
  const kit = source.spec;
  const { text, changes } = setVersions(file, manifest, { ...pinnedVersions(), [KIT]: kit });
  const replaced = changes.find(({ name }) => name === KIT);
  if (replaced && to === undefined && isOutsideRegistry(replaced.from))
    throw new UsageError(
      `${file} gets ${KIT} from ${JSON.stringify(replaced.from)}, not from a registry; name the new kit with --to, such as --to ../colonnade-kit-${kit}.tgz`,
    );
  await requireContract(folder);
  const archive = (await isArchiveNew(source)) ? kit.replace(/^file:/, "") : undefined;
  if (!dryRun && (changes.length > 0 || archive !== undefined)) {
    if (!force) await requireCommitted(folder);
    if (changes.length > 0) await writeFile(file, text);
    await copyArchive(source);
    const old = vendoredArchive(replaced?.from ?? "");
    if (old !== undefined) await rm(path.join(folder, old), { force: true });
  }
  return { packages: changes, ...(archive !== undefined && { archive }) };
}

/** Whether npm gets a package from a URL, a file or another protocol, instead of a registry. */
function isOutsideRegistry(spec: string): boolean {
  return /[:/]/.test(spec);
}

// A kit of an earlier contract would build the section as one of its own contract.
async function requireContract(folder: string): Promise<void> {
  const { entry } = await loadConfig(folder);
  const contract = await readContract(path.join(folder, entry));
  if (contract !== CONTRACT)
    throw new UsageError(
      `the section has contract ${String(contract)}, but this kit supports contract ${String(CONTRACT)}; run \`colonnade upgrade\` of a kit that supports contract ${String(contract)}`,
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
  const { packages, archive } = upgraded;
  const data = { ...upgraded, dryRun };
  if (packages.length === 0 && archive === undefined)
    return { text: `already up to date with version ${kitVersion()} of the kit`, data };
  // Without the package, npm keeps an installed kit of the same version, and the hash in package-lock.json.
  const install = archive === undefined ? "npm install" : `npm install ${KIT}@file:${archive}`;
  const text = [
    dryRun ? "would change:" : "changed:",
    ...(packages.length > 0 ? [packageTable(packages)] : []),
    ...(archive === undefined ? [] : [`  ${archive}`]),
    ...(dryRun ? [] : ["", `next: ${install}, npm test, npx --no colonnade check`]),
  ];
  return { text: text.join("\n"), data };
}

function packageTable(packages: readonly PackageChange[]): string {
  return formatTable(packages.map(({ name, from, to }) => [`  ${name}`, from, "to", to]));
}
