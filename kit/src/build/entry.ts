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
  const source = await readFile(file, "utf8");
  const module = await parse(source, { syntax: "typescript", tsx: true, target: "es2022" }).catch((error: unknown) => {
    // swc goes on with a trace of its own.
    const [message = ""] = String(error instanceof Error ? error.message : error).split("\n\nCaused by:");
    throw new UsageError(`${file} cannot be parsed:\n${message.trimEnd()}`);
  });
  const definition = findDefinition(module);
  if (!definition) throw new UsageError(`${file}: expected \`export default defineSection({ … })\``);
  const entries = entriesOf(definition, `${file}: defineSection`);
  return { pages: importsOf(file, entries, "pages"), slots: importsOf(file, entries, "slots") };
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

// What cannot be read here would be a page that exists and that the release does not name, so it is refused.
function entriesOf(object: ObjectExpression, where: string): Map<string, Expression> {
  return new Map(
    object.properties.map((property) => {
      if (property.type === "KeyValueProperty") {
        const { key, value } = property;
        if (key.type === "StringLiteral" || key.type === "Identifier") return [key.value, value];
      }
      throw new UsageError(`${where} has an entry of another form than expected: "key": value`);
    }),
  );
}

function importsOf(file: string, definition: Map<string, Expression>, name: "pages" | "slots"): Map<string, string> {
  const value = definition.get(name);
  if (!value) return new Map();
  if (value.type !== "ObjectExpression")
    throw new UsageError(`${file}: ${name} is no object literal; expected { "…": ${FORM} }`);
  return new Map(
    [...entriesOf(value, `${file}: ${name}`)].map(([key, load]) => [key, requestOf(load) ?? refuse(file, name, key)]),
  );
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
