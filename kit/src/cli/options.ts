import { parseArgs } from "node:util";

import { UsageError } from "../build/config.js";

/** An option that is given or not. */
export interface Flag {
  /** What it does, for the help. */
  readonly summary: string;
  /** The one letter that stands for it. */
  readonly short?: string;
}

/** An option that takes a value. */
export interface ValueOption<Value> extends Flag {
  /** How the help names the value. */
  readonly value: string;
  /** Reads what was typed. `option` is the option as one types it, for the words of a refusal. */
  readonly read: (text: string, option: string) => Value;
}

/** An option that takes a value and may be given several times. */
export interface ListOption<Value> extends ValueOption<Value> {
  readonly repeatable: true;
}

/** Options by name, without the dashes. */
export type Options = Readonly<Record<string, Flag | ValueOption<unknown>>>;

/** What was given for each option. */
export type Values<Table extends Options> = {
  readonly [Name in keyof Table]: Table[Name] extends ListOption<infer Value>
    ? readonly Value[]
    : Table[Name] extends ValueOption<infer Value>
      ? Value | undefined
      : boolean;
};

/** What follows a command's name. */
export interface Arguments<Table extends Options> {
  readonly values: Values<Table>;
  readonly operands: readonly string[];
}

/** An option as one types it. */
export function spell(name: string, option: Flag | ValueOption<unknown>): string {
  return "value" in option ? `--${name} ${option.value}` : `--${name}`;
}

/**
 * Reads options and operands.
 *
 * @throws UsageError that names what was not expected, and what was.
 */
export function readArguments<Table extends Options>(args: readonly string[], table: Table): Arguments<Table> {
  const { tokens } = parseArgs({
    args: [...args],
    // The words of its own refusals are for programmers.
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(table).map(([name, option]) => [
        name,
        { type: "value" in option ? "string" : "boolean", ...(option.short && { short: option.short }) } as const,
      ]),
    ),
  });
  const given = new Map<string, unknown[]>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    if (!option) throw new UsageError(`unknown option ${token.rawName}; ${expectation(table)}`);
    const values = given.get(token.name) ?? [];
    if (values.length > 0 && !("repeatable" in option))
      throw new UsageError(`${token.rawName} is given twice; expected once`);
    given.set(token.name, [...values, valueOf(token, option)]);
  }
  const values = Object.fromEntries(
    Object.entries(table).map(([name, option]) => {
      const [first, ...others] = given.get(name) ?? [];
      if ("repeatable" in option) return [name, first === undefined ? [] : [first, ...others]];
      return [name, "value" in option ? first : first !== undefined];
    }),
  );
  return { values: values as Values<Table>, operands };
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function valueOf({ rawName, value, inlineValue }: OptionToken, option: Flag | ValueOption<unknown>): unknown {
  if (!("value" in option)) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value; expected ${rawName} alone`);
    return true;
  }
  // What follows and looks like an option was hardly meant as this one's value; `--reason=-` says that it is.
  if (!value || (!inlineValue && value.startsWith("-")))
    throw new UsageError(`${rawName} has no value; expected ${rawName} ${option.value}`);
  return option.read(value, rawName);
}

function expectation(table: Options): string {
  return `expected one of ${Object.keys(table)
    .map((name) => `--${name}`)
    .join(", ")}`;
}

/** Reads any text. */
export function text(typed: string): string {
  return typed;
}

/** Reads a whole number within limits. */
export function wholeNumber(what: string, from: number, to: number): (typed: string, option: string) => number {
  return (typed, option) => {
    const number = Number(typed);
    if (/^\d+$/.test(typed) && number >= from && number <= to) return number;
    const limits = to === Number.MAX_SAFE_INTEGER ? `${String(from)} or more` : `${String(from)} to ${String(to)}`;
    throw new UsageError(`${option} is ${JSON.stringify(typed)}; expected ${what}, ${limits}`);
  };
}

/** Reads a deployment's number. */
export const deploymentNumber = wholeNumber("a deployment's number", 1, Number.MAX_SAFE_INTEGER);
/** Reads a share of visitors: all of them is what promoting is for. */
export const percentage = wholeNumber("a whole percentage", 0, 99);

/** An option of every command that changes what visitors see. */
export const REASON = {
  value: "<text>",
  summary: "why, for the history",
  read: text,
} satisfies ValueOption<string>;
