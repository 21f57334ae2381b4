import { Argument, type CommandUnknownOpts } from "@commander-js/extra-typings";

import type { CommandContext } from "./context.js";

/** What a shell completes after the name of a command. */
interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly { readonly flag: string; readonly description: string; readonly takesValue: boolean }[];
  /** Values of its argument, if they are fixed. */
  readonly values: readonly string[];
}

type ScriptOf = (commands: readonly CompletedCommand[], globalFlags: readonly string[]) => string;

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } satisfies Record<string, ScriptOf>;

/**
 * Adds `colonnade completion`. The scripts are static: completion libraries run the command at every press of Tab, which
 * takes a second.
 */
export function addCompletionCommand(program: CommandUnknownOpts, { printResult }: CommandContext): void {
  program
    .command("completion")
    .summary("print a script that completes commands and options in a shell")
    .description(
      "Prints a script that completes the command `colonnade`. Save it to a file: for bash and zsh, load the file with `.` in " +
        "~/.bashrc, or in ~/.zshrc after compinit; for fish, save it as ~/.config/fish/completions/colonnade.fish. It does not " +
        'complete `npx`: define the function `colonnade() { npx --no -- colonnade "$@"; }` as well.',
    )
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .action((shell) => {
      const globalFlags = program.createHelp().visibleOptions(program);
      const script = SHELLS[shell](
        completedCommands(program),
        globalFlags.map(({ long, flags }) => long ?? flags),
      );
      printResult({ text: script, data: { shell, script } });
    });
}

function completedCommands(program: CommandUnknownOpts): CompletedCommand[] {
  const help = program.createHelp();
  return help.visibleCommands(program).map((command) => ({
    name: command.name(),
    summary: command.summary() || command.description(),
    options: [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map(
      ({ long, flags, description, required }) => ({ flag: long ?? flags, description, takesValue: required }),
    ),
    values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  }));
}

function bashScript(commands: readonly CompletedCommand[], globalFlags: readonly string[]): string {
  const cases = commands.map(({ name, options, values }) => {
    const words = [...values, ...options.map(({ flag }) => flag)];
    return `    ${name}) words="${words.join(" ")}" ;;`;
  });
  return `# Completes the command colonnade in bash.
_colonnade() {
  local command="" word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
  case "$command" in
    "") words="${[...commands.map(({ name }) => name), ...globalFlags].join(" ")}" ;;
${cases.join("\n")}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _colonnade colonnade`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const escape = (text: string): string => text.replace(/[[\]:\\]/g, "\\$&");
  const names = commands.map(({ name, summary }) => `    ${quote(`${name}:${escape(summary)}`)}`);
  const cases = commands.map(({ name, options, values }) => {
    const specs = [
      ...options.map(({ flag, description, takesValue }) =>
        quote(`${flag}${takesValue ? "=" : ""}[${escape(description)}]${takesValue ? ":value:" : ""}`),
      ),
      ...(values.length > 0 ? [quote(`1:value:(${values.join(" ")})`)] : []),
    ];
    return `    ${name}) _arguments ${specs.join(" ")} ;;`;
  });
  return `#compdef colonnade
# Completes the command colonnade in zsh.
_colonnade() {
  local -a commands=(
${names.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case "$words[1]" in
${cases.join("\n")}
  esac
}
if [[ "$funcstack[1]" == _colonnade ]]; then _colonnade "$@"; else compdef _colonnade colonnade; fi`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const quote = (text: string): string => `'${text.replace(/['\\]/g, "\\$&")}'`;
  const lines = commands.flatMap(({ name, summary, options, values }) => {
    const condition = quote(`__fish_seen_subcommand_from ${name}`);
    return [
      `complete -c colonnade -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
      ...options.map(
        ({ flag, description, takesValue }) =>
          `complete -c colonnade -n ${condition} -l ${flag.replace(/^--/, "")}${takesValue ? " -x" : ""} -d ${quote(description)}`,
      ),
      ...(values.length > 0 ? [`complete -c colonnade -n ${condition} -a ${quote(values.join(" "))}`] : []),
    ];
  });
  return ["# Completes the command colonnade in fish.", "complete -c colonnade -f", ...lines].join("\n");
}
