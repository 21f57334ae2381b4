import { UsageError } from "./usageError.js";

/** A section's own build, in place of the one of this package. */
export interface BuildCommand {
  /** The command. It runs in a shell, in the folder of the package. */
  readonly command: string;
  /** The folder that it writes: `dist`, or one below it. */
  readonly output: string;
  /** Folders outside of the package that it reads, such as `../ui/src`. A change of their files runs it again. */
  readonly sources?: readonly string[];
}

/** What only the build of this package uses. */
const OF_WEBPACK = ["define", "federation", "webpack"];
const OUTPUT = /^dist(\/[\w.-]+)*$/;

/** Whether a value is a text. */
export const isText = (value: unknown): boolean => typeof value === "string";
/** Whether a value is a list of such items. */
export const isList = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);

/** @throws UsageError if `build` of a configuration is invalid. */
export function checkBuild(file: string, config: Readonly<Record<string, unknown>>): void {
  const { command, output, sources = [], ...others } = Object(config.build) as Partial<BuildCommand>;
  const isOutput = typeof output === "string" && OUTPUT.test(output);
  const isValid = isText(command) && isOutput && isList(sources, isText) && Object.keys(others).length === 0;
  if (!isValid || config.kind === "shell")
    throw new UsageError(
      `${file}: build is ${JSON.stringify(config.build)}; expected { command: "vite build", output: "dist" }, whose output is ` +
        "dist or a folder in it, and optionally sources, a list of folders (section only)",
    );
  const unused = OF_WEBPACK.filter((key) => config[key] !== undefined);
  if (unused.length > 0) throw new UsageError(`${file}: ${unused.join(", ")} has no effect with build; expected none`);
}
