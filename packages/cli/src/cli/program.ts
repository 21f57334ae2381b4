import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";

import { ERROR_KINDS } from "../build/usageError.js";
import type { CommandContext, CommandResult, ProcessContext } from "./context.js";
import { printable } from "./printable.js";
import { packageVersion } from "./scaffold.js";

/** Adds a command to a program, or makes the program one command. */
export type AddCommand = (program: CommandUnknownOpts, context: CommandContext) => void;

const ENVIRONMENT_HELP = `
Environment variables (\`new\`, \`types\`, \`upgrade\` and \`completion\` do not read them; \`dev\`, \`build\` and \`check\` read
them for the limits of the site):
  COLONNADE_ADMIN  URL of the gateway's admin listener (default: http://127.0.0.1:9090); https, or of this machine
  COLONNADE_TOKEN  admin API token, issued by the gateway operator, or ID token of this job; without it, the token of
                   COLONNADE_TOKEN_FILE, of GitHub Actions, or of \`colonnade login\`
  COLONNADE_AUDIENCE  the audience of the ID token of GitHub Actions (default: the origin of COLONNADE_ADMIN)
  COLONNADE_CLIENT_CERTIFICATE, COLONNADE_CLIENT_KEY  PEM files of a client certificate, which needs no token if the
                   operator has granted it something`;

const exitCodeHelp = (kinds: readonly { readonly exitCode: number; readonly meaning: string }[]) => `
Exit codes:
  0  success
  1  unexpected error: a bug in the command
${kinds.map(({ exitCode, meaning }) => `  ${String(exitCode)}  ${meaning}`).join("\n")}`;

/** Creates a program for these arguments. */
export type CreateProgram = (args: readonly string[], context: ProcessContext) => CommandUnknownOpts;

/** Returns a function that creates the `colonnade` program with these commands. */
export function programOf(commands: readonly AddCommand[]): CreateProgram {
  return (args, context) => {
    const program = emptyProgram("colonnade", context)
      .description("Build, publish and deploy a section.")
      .addHelpText("afterAll", `${ENVIRONMENT_HELP}\n${exitCodeHelp(Object.values(ERROR_KINDS))}`);
    for (const addCommand of commands) addCommand(program, commandContext(program, context));
    program.showHelpAfterError("Run `colonnade help` for the commands.");
    rejectAmbiguousOptions(program, args);
    for (const command of program.commands) {
      command.showHelpAfterError(`Run \`colonnade ${command.name()} --help\` for usage.`);
      rejectAmbiguousOptions(command, args);
    }
    return program;
  };
}

/** Returns a function that creates a program of this name which is one command, without a gateway. `define` adds what the command has. */
export function singleCommand(name: string, define: AddCommand): CreateProgram {
  return (args, context) => {
    const program = emptyProgram(name, context).addHelpText("afterAll", exitCodeHelp([ERROR_KINDS.usage]));
    define(program, commandContext(program, context));
    program.showHelpAfterError(`Run \`${name} --help\` for usage.`);
    rejectAmbiguousOptions(program, args);
    return program;
  };
}

function emptyProgram(name: string, { stdout, stderr }: ProcessContext): CommandUnknownOpts {
  return new Command(name)
    .version(packageVersion(), "--version", "print the version of the command")
    .option("--json", "print the result as JSON")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => stdout.write(printable(text)),
      writeErr: (text) => stderr.write(printable(text)),
    })
    .exitOverride();
}

function commandContext(program: CommandUnknownOpts, context: ProcessContext): CommandContext {
  const { stdout, stderr } = context;
  const printResult = ({ text, data, warnings = [], hint }: CommandResult): void => {
    const { json } = program.opts() as { readonly json?: boolean };
    // The JSON result includes the warnings.
    if (!json) for (const warning of warnings) stderr.write(`warning: ${printable(warning)}\n`);
    if (!json && warnings.length > 0 && hint !== undefined) stderr.write(`${printable(hint)}\n`);
    stdout.write(`${json ? jsonLine(data) : printable(text)}\n`);
  };
  return { ...context, printResult };
}

/**
 * Rejects what commander accepts: a repeated option, an empty value, and an option in place of a value, such as
 * `--reason --json`. A value may start with a dash if it is joined to its option: `--reason=-5`.
 */
function rejectAmbiguousOptions(command: CommandUnknownOpts, args: readonly string[]): void {
  for (const option of command.options) {
    const { flags, long = flags } = option;
    const isRepeatable = typeof option.defaultValue === "object";
    let isGiven = false;
    command.on(`option:${option.name()}`, (value?: string) => {
      if (isGiven && !isRepeatable) command.error(`error: option '${flags}' was given more than once`);
      isGiven = true;
      if (option.required && (!value || (value.startsWith("-") && !args.includes(`${long}=${value}`))))
        command.error(`error: option '${flags}' argument missing`);
    });
  }
}

/** Formats a result as JSON. Escapes the control characters that JSON permits, because terminals interpret them. */
function jsonLine(data: unknown): string {
  return JSON.stringify(data).replace(
    /[\x7f-\x9f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
