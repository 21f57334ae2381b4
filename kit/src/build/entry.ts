import { parse, type Expression, type Module, type ObjectExpression } from "@swc/core";
import { readFile } from "node:fs/promises";

import { UsageError } from "./config.js";

/** Which module each page and slot of a section imports, as its entry module writes it. */
export interface EntryImports {
  /** Import request by path pattern. */
  readonly pages: ReadonlyMap<string, string>;
  /** Import request by slot name. */
  readonly slots: ReadonlyMap<string, string>;
}

const FORM = '() => import("./module")';

/**
 * Reads `defineSection({ pages, slots })` from the source of an entry module. This is how the build
 * knows, without running anything, which chunks a page's first view needs.
 *
 * @throws UsageError when the call is missing or a value has another form than `() => import("./module")`.
 */
export async function readEntry(file: string): Promise<EntryImports> {
  const module = await parse(await readFile(file, "utf8"), { syntax: "typescript", tsx: true, target: "es2022" });
  const definition = findDefinition(module);
  if (!definition) throw new UsageError(`${file}: expected \`export default defineSection({ … })\``);
  return { pages: importsOf(file, definition, "pages"), slots: importsOf(file, definition, "slots") };
}

function findDefinition(module: Module): ObjectExpression | undefined {
  for (const item of module.body) {
    if (item.type !== "ExportDefaultExpression" || item.expression.type !== "CallExpression") continue;
    const {
      callee,
      arguments: [argument],
    } = item.expression;
    if (
      callee.type === "Identifier" &&
      callee.value === "defineSection" &&
      argument?.expression.type === "ObjectExpression"
    ) {
      return argument.expression;
    }
  }
  return undefined;
}

function entriesOf(object: ObjectExpression): Map<string, Expression> {
  const entries = new Map<string, Expression>();
  for (const property of object.properties) {
    if (property.type !== "KeyValueProperty") continue;
    const { key, value } = property;
    if (key.type === "StringLiteral" || key.type === "Identifier") entries.set(key.value, value);
  }
  return entries;
}

function importsOf(file: string, definition: ObjectExpression, name: "pages" | "slots"): Map<string, string> {
  const value = entriesOf(definition).get(name);
  if (!value) return new Map();
  if (value.type !== "ObjectExpression")
    throw new UsageError(`${file}: ${name} is no object literal; expected { "…": ${FORM} }`);
  return new Map([...entriesOf(value)].map(([key, load]) => [key, requestOf(load) ?? refuse(file, name, key)]));
}

function refuse(file: string, name: string, key: string): never {
  throw new UsageError(`${file}: ${name}["${key}"] has another form than expected: ${FORM}`);
}

function requestOf(load: Expression): string | undefined {
  if (load.type !== "ArrowFunctionExpression" || load.body.type !== "CallExpression") return undefined;
  const {
    callee,
    arguments: [argument],
  } = load.body;
  return callee.type === "Import" && argument?.expression.type === "StringLiteral"
    ? argument.expression.value
    : undefined;
}
