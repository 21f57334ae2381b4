import type { Command } from "./command.js";
import { spell, type Options } from "./options.js";
import { columns } from "./table.js";

const ENVIRONMENT = `COLONNADE_ADMIN  address of the gateway's admin listener (http://127.0.0.1:9090)
COLONNADE_TOKEN  your token there, from the gateway's operator`;

/** What all subcommands do. */
export function describeAll(commands: readonly Command[]): string {
  const rows = commands.map(({ name, operands = "", summary }) => [`section ${name} ${operands}`.trimEnd(), summary]);
  return `${columns(rows)}

\`section <command> --help\` says more about one; \`--json\` prints its result as JSON.

${ENVIRONMENT}`;
}

/** What one subcommand does, and how it is told. */
export function describeCommand(command: Command): string {
  const usage = ["section", command.name, ...(command.operands === undefined ? [] : [command.operands]), "[options]"];
  return `${usage.join(" ")}

${command.description}

${describeOptions(command.options)}

${command.isRemote ? ENVIRONMENT : "It calls no gateway: COLONNADE_ADMIN and COLONNADE_TOKEN are not read."}`;
}

function describeOptions(options: Options): string {
  return columns(Object.entries(options).map(([name, option]) => [`  ${spell(name, option)}`, option.summary]));
}
