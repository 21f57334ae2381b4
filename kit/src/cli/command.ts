import type { Writable } from "node:stream";

import { UsageError } from "../build/config.js";
import { adminAccess, type AdminAccess } from "./api.js";
import { describeCommand } from "./help.js";
import { readArguments, type Options, type Values } from "./options.js";

/** Where a command was started. */
export interface Surroundings {
  /** The working directory. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Where the result goes. */
  readonly output: Writable;
  /** Where everything else goes: problems, warnings and, if it is a terminal, progress. */
  readonly screen: Writable & { readonly isTTY?: boolean };
}

/** A result in words and as data. */
export interface Outcome {
  readonly text: string;
  /** What `--json` prints. */
  readonly data: unknown;
  /** What stood in nobody's way but is worth knowing. */
  readonly warnings?: readonly string[];
}

/** What a subcommand is made of. */
interface Definition<Table extends Options> {
  readonly name: string;
  /** What it does, in a line. */
  readonly summary: string;
  /** What it does, for its help: lines of at most 80 characters. */
  readonly description: string;
  /** How the help names its operands. Absent: it takes none. */
  readonly operands?: string;
  readonly options: Table;
}

interface Task<Table extends Options> {
  readonly surroundings: Surroundings;
  readonly values: Values<Table>;
  readonly operands: readonly string[];
}

interface LocalDefinition<Table extends Options> extends Definition<Table> {
  run(task: Task<Table>): Promise<Outcome>;
}

interface RemoteDefinition<Table extends Options> extends Definition<Table> {
  run(task: Task<Table> & { readonly access: AdminAccess }): Promise<Outcome>;
}

/** A subcommand. */
export interface Command extends Definition<Options> {
  /** Whether it calls the gateway, and so needs its address and a token. */
  readonly isRemote: boolean;
  run(args: readonly string[], surroundings: Surroundings): Promise<Result>;
}

/** What is to be printed. */
export interface Result extends Outcome {
  readonly asJson: boolean;
}

const COMMON = {
  json: { summary: "print the result as JSON" },
  help: { summary: "print this text", short: "h" },
} satisfies Options;

/** A subcommand that needs no gateway. */
export function localCommand<Table extends Options>(definition: LocalDefinition<Table>): Command {
  return command(definition, false, (task) => definition.run(task));
}

/** A subcommand that calls the gateway. */
export function remoteCommand<Table extends Options>(definition: RemoteDefinition<Table>): Command {
  return command(definition, true, (task) =>
    definition.run({ ...task, access: adminAccess(task.surroundings.environment) }),
  );
}

function command<Table extends Options>(
  definition: Definition<Table>,
  isRemote: boolean,
  run: (task: Task<Table>) => Promise<Outcome>,
): Command {
  const options: Table & typeof COMMON = { ...definition.options, ...COMMON };
  const self: Command = {
    ...definition,
    options,
    isRemote,
    async run(args, surroundings) {
      const { values, operands } = readArguments(args, options);
      const common: Values<typeof COMMON> = values;
      if (common.help) return { text: describeCommand(self), data: null, asJson: false };
      if (definition.operands === undefined && operands[0] !== undefined)
        throw new UsageError(`section ${definition.name} does not expect ${JSON.stringify(operands[0])}`);
      return { ...(await run({ surroundings, values, operands })), asJson: common.json };
    },
  };
  return self;
}
