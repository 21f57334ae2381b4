import { parse, type Expression, type Module, type ObjectExpression } from "@swc/core";
import { readFile } from "node:fs/promises";

import type { NavigationEntry } from "@colonnade/kit";
import { CONTRACT } from "@colonnade/kit/contract";
import { IMPORT_FORM, LINK_FORM, OWN_FORMS, type EntryMember } from "./entryForms.js";
import { BuildError } from "./usageError.js";

/** What the build reads of a section's declaration: the modules of its pages and extensions, and its links. */
export interface EntryImports {
  /** Import specifier by path pattern. Empty for a page of the entry module itself. */
  readonly pages: ReadonlyMap<string, string>;
  /** Import specifier by the reference of the extension point. Empty for an extension of the entry module itself. */
  readonly extensions: ReadonlyMap<string, string>;
  /** Links for the navigation, as they are written. */
  readonly navigation: readonly NavigationEntry[];
}

/**
 * Parses `defineSection({ pages, extensions, navigation })` in the source of an entry module. The build uses it to map chunks to
 * pages without running the section.
 *
 * @throws BuildError if the call is missing or a value does not have the form `() => import("./module")` or
 *   `async () => ({ page })`, or if `navigation` is not a literal.
 */
export async function readEntry(file: string): Promise<EntryImports> {
  const { entries } = await readDefinition(file);
  return {
    pages: importsOf(file, entries, "pages"),
    extensions: importsOf(file, entries, "extensions"),
    navigation: navigationOf(file, entries.get("navigation")),
  };
}

/**
 * Returns the specifiers of the modules in which pages and extensions are defined. Unlike those of {@link readEntry}, they have the
 * modules of pages in `async () => ({ page })`, if the entry module imports them.
 *
 * @throws BuildError as `readEntry`.
 */
export async function readModules(file: string): Promise<Pick<EntryImports, "extensions" | "pages">> {
  const { entries, module } = await readDefinition(file);
  const imported = new Map(
    module.body.flatMap((item) =>
      item.type === "ImportDeclaration"
        ? item.specifiers.map(({ local }) => [local.value, item.source.value] as const)
        : [],
    ),
  );
  return {
    pages: importsOf(file, entries, "pages", imported),
    extensions: importsOf(file, entries, "extensions", imported),
  };
}

/**
 * Reads the version of the section contract from the source of an entry module.
 *
 * @throws BuildError if it is not a number literal.
 */
export async function readContract(file: string): Promise<number> {
  const contract = (await readDefinition(file)).entries.get("contract");
  if (contract?.type === "NumericLiteral") return contract.value;
  throw new BuildError(`${file}: contract is not a number; expected \`contract: ${String(CONTRACT)}\``);
}

interface Definition {
  readonly module: Module;
  /** The members of the argument of `defineSection`. */
  readonly entries: Map<string, Expression>;
}

async function readDefinition(file: string): Promise<Definition> {
  const source = await readFile(file, "utf8");
  const module = await parse(source, { syntax: "typescript", tsx: true, target: "es2022" }).catch((error: unknown) => {
    // swc appends its own stack trace.
    const [message = ""] = String(error instanceof Error ? error.message : error).split("\n\nCaused by:");
    throw new BuildError(`${file}: syntax error:\n${message.trimEnd()}`);
  });
  const definition = findDefinition(module);
  if (!definition) throw new BuildError(`${file}: expected \`export default defineSection({ … })\``);
  return { module, entries: entriesOf(definition, `${file}: defineSection`) };
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

// An entry that cannot be read here would be a page missing from the release, so it is an error.
function entriesOf(object: ObjectExpression, where: string): Map<string, Expression> {
  return new Map(
    object.properties.map((property) => {
      if (property.type === "KeyValueProperty") {
        const { key, value } = property;
        if (key.type === "StringLiteral" || key.type === "Identifier") return [key.value, value];
      }
      throw new BuildError(`${where} has an unsupported property; expected "key": value`);
    }),
  );
}

function importsOf(
  file: string,
  definition: Map<string, Expression>,
  name: EntryMember,
  imported: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
  const value = definition.get(name);
  if (!value) return new Map();
  if (value.type !== "ObjectExpression")
    throw new BuildError(`${file}: ${name} is not an object literal; expected { "…": ${IMPORT_FORM} }`);
  return new Map(
    [...entriesOf(value, `${file}: ${name}`)].map(([key, load]) => [
      key,
      importSpecifier(load, imported) ?? reject(file, name, key),
    ]),
  );
}

// The check validates the values.
function navigationOf(file: string, value: Expression | undefined): readonly NavigationEntry[] {
  const where = `${file}: navigation`;
  if (value && value.type !== "ArrayExpression")
    throw new BuildError(`${where} is not an array literal; expected [${LINK_FORM}]`);
  return value ? (literalOf(value, where) as readonly NavigationEntry[]) : [];
}

function literalOf(value: Expression | undefined, where: string): unknown {
  switch (value?.type) {
    case "StringLiteral":
    case "NumericLiteral":
      return value.value;
    case "UnaryExpression":
      if (value.operator === "-" && value.argument.type === "NumericLiteral") return -value.argument.value;
      break;
    case "ArrayExpression":
      return value.elements.map((element) => literalOf(element?.spread ? undefined : element?.expression, where));
    case "ObjectExpression":
      return Object.fromEntries([...entriesOf(value, where)].map(([key, member]) => [key, literalOf(member, where)]));
    default:
  }
  throw new BuildError(`${where} has an unsupported value; expected [${LINK_FORM}]`);
}

function reject(file: string, name: EntryMember, key: string): never {
  throw new BuildError(
    `${file}: ${name}["${key}"] has an unsupported value; expected ${IMPORT_FORM}, or ${OWN_FORMS[name]}`,
  );
}

function importSpecifier(load: Expression, imported: ReadonlyMap<string, string>): string | undefined {
  if (load.type !== "ArrowFunctionExpression") return undefined;
  if (load.async && load.body.type === "ParenthesisExpression" && load.body.expression.type === "ObjectExpression")
    return imported.get(ownName(load.body.expression)) ?? "";
  if (load.body.type !== "CallExpression") return undefined;
  const {
    callee,
    arguments: [argument],
  } = load.body;
  return callee.type === "Import" && argument?.expression.type === "StringLiteral"
    ? argument.expression.value
    : undefined;
}

/** The variable of the entry module in `{ page }`, `{ page: shop }` or `{ page: pages.shop }`. Empty for another expression. */
function ownName({ properties: [property] }: ObjectExpression): string {
  let value = property?.type === "KeyValueProperty" ? property.value : property;
  while (value?.type === "MemberExpression") value = value.object;
  return value?.type === "Identifier" ? value.value : "";
}
