import path from "node:path";
import { parseArgs } from "node:util";

import { build, readRelease, RELEASE_FOLDER } from "../build/build.js";
import { UsageError } from "../build/config.js";
import { adminAccess } from "./api.js";
import { deploy, parseRelease } from "./deploy.js";
import { publish } from "./publish.js";

const USAGE = `section build [--final]              build this package's release into release/
section publish                      send that release to the gateway
section deploy [name@version …]      put releases live; without a name, this package's
               [--reason TEXT]

--final  give the release the version of package.json, not one of its own for each change
--json   print the result as JSON

COLONNADE_ADMIN  address of the gateway's admin listener (http://127.0.0.1:9090)
COLONNADE_TOKEN  your token there
`;

interface Flags {
  readonly final: boolean;
  readonly json: boolean;
  readonly reason: string | undefined;
}

/** A result in words and as data. */
interface Outcome {
  readonly text: string;
  readonly data: object;
}

type Command = (folder: string, flags: Flags, names: string[]) => Promise<Outcome>;

const COMMANDS: Readonly<Record<string, Command>> = {
  async build(folder, flags) {
    const { release, built } = await build(folder, { final: flags.final });
    const size = release.files.reduce((sum, file) => sum + file.size, 0);
    const text = built
      ? `built ${release.name}@${release.version}: ${String(release.files.length)} files, ${(size / 1024).toFixed(0)} KiB`
      : `${release.name}@${release.version} is up to date`;
    return { text, data: { name: release.name, version: release.version, built } };
  },
  async publish(folder) {
    const published = await publish(folder, adminAccess(process.env));
    const { name, version, isNew } = published;
    return { text: `${name}@${version} ${isNew ? "is published" : "was published already"}`, data: published };
  },
  async deploy(folder, flags, names) {
    const releases = Object.fromEntries(names.length > 0 ? names.map(parseRelease) : [await ownRelease(folder)]);
    const { deployment, isNew } = await deploy(releases, flags.reason, adminAccess(process.env));
    const number = String(deployment.number);
    return {
      text: isNew ? `deployment ${number} is live` : `deployment ${number} has these releases already`,
      data: { ...deployment, isNew },
    };
  },
};

async function ownRelease(folder: string): Promise<readonly [string, string]> {
  const { name, version } = await readRelease(path.join(folder, RELEASE_FOLDER));
  return [name, version];
}

function parse(args: string[]): { command: Command; flags: Flags; names: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { final: { type: "boolean" }, json: { type: "boolean" }, reason: { type: "string" } },
    });
    const [name = "", ...names] = positionals;
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command) throw new UsageError(name ? `"${name}" is no command` : "no command given");
    return {
      command,
      flags: { final: values.final ?? false, json: values.json ?? false, reason: values.reason },
      names,
    };
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

/** Runs the `section` command in a folder. Returns the exit code: 0, or 1 with the problem on standard error. */
export async function main(args: string[], folder: string): Promise<number> {
  try {
    const { command, flags, names } = parse(args);
    const { text, data } = await command(folder, flags, names);
    process.stdout.write(`${flags.json ? JSON.stringify(data) : text}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // A mistake of the user's needs words, one of ours a trace.
    process.stderr.write(`${error instanceof UsageError ? error.message : (error.stack ?? error.message)}\n`);
    return 1;
  }
}
