import { UsageError } from "./usageError.js";

/** A section's own build, in place of that by webpack. */
export interface BuildCommand {
  /** The command. It runs in a shell, in the folder of the package. */
  readonly command: string;
  /** The folder that it writes: `dist`, or one below it. */
  readonly output: string;
  /** Folders outside of the package that it reads, such as `../ui/src`. A change of their files runs it again. */
  readonly sources?: readonly string[];
}

/** A remote of Module Federation, whose modules the section's pages import. */
export interface RemoteBuild {
  /** The folder of the built remote, with its `mf-manifest.json`, relative to the package. */
  readonly remote: string;
  /** The command that builds it. It runs in a shell, in the folder of the package, before each build of the section. */
  readonly command?: string;
}

/** The build of a section by its own command. Undefined if webpack builds it. */
export function ownBuild({ build }: { readonly build?: BuildCommand | RemoteBuild }): BuildCommand | undefined {
  return build && "output" in build ? build : undefined;
}

/** What only the build by webpack uses. */
const OF_WEBPACK = ["define", "federation", "webpack"];
const OUTPUT = /^dist(\/[\w.-]+)*$/;

/** Whether a value is a text. */
export const isText = (value: unknown): boolean => typeof value === "string";
/** Whether a value is a list of such items. */
export const isList = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);

/** @throws UsageError if `build` of a configuration is invalid. */
export function checkBuild(file: string, config: Readonly<Record<string, unknown>>): void {
  const build = Object(config.build) as Partial<BuildCommand & RemoteBuild>;
  const { command, output, remote, sources = [] } = build;
  const hasCommand = isText(command) && typeof output === "string" && OUTPUT.test(output) && isList(sources, isText);
  const hasRemote = isText(remote) && (command === undefined || isText(command));
  const keys = hasRemote ? ["remote", "command"] : ["command", "output", "sources"];
  if (!(hasRemote || hasCommand) || !Object.keys(build).every((key) => keys.includes(key)))
    throw new UsageError(
      `${file}: build is ${JSON.stringify(config.build)}; expected { command: "vite build", output: "dist" }, whose output is ` +
        'dist or a folder in it, and optionally sources, a list of folders; or { remote: "dist" }, and optionally command',
    );
  if (hasRemote) return;
  const unused = OF_WEBPACK.filter((key) => config[key] !== undefined);
  if (unused.length > 0) throw new UsageError(`${file}: ${unused.join(", ")} has no effect with build; expected none`);
}
