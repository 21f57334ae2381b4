// The rules for `defineSection({ … })`, and the positions of its parts.
import { ENTRY_MEMBERS, IMPORT_FORM, LINK_FORM, OWN_FORMS, type EntryMember } from "../build/entryForms.js";
import { referenceProblem } from "../build/extensionPoint.js";
import { collidingPatterns, patternProblem } from "../build/pattern.js";
import type { Found } from "./finding.js";
import { MAX_EXTENSIONS } from "./limits.js";
import { keyOf, nameOf, nodeAt, nodesAt, textOf, walk, type SyntaxNode } from "./syntax.js";

/** Finds what is wrong in the patterns and references of a call of `defineSection`. */
export function* findInDeclaration(node: SyntaxNode): Generator<Found> {
  const [definition] = isDefinition(node) ? nodesAt(node, "arguments") : [];
  const members = new Map(propertiesOf(definition).map((property) => [entryKey(property), nodeAt(property, "value")]));
  for (const name of ENTRY_MEMBERS) yield* findUnsupported(name, members.get(name));
  yield* findInPatterns(propertiesOf(members.get("pages")));
  yield* findInReferences(members.get("extensions"));
  const navigation = members.get("navigation");
  if (navigation && !isLiteral(navigation))
    yield {
      code: "COL100",
      message: "navigation has a value that the build cannot read",
      advice: `Write it as [${LINK_FORM}], with text and numbers in place, without spreads and variables.`,
      node: navigation,
    };
}

/**
 * The part of a declaration that each key names: `name`, `pages /hello`, `extensions directory/city-aside@1`, `navigation 0`, or
 * `directory/city-aside@1 2`, the second example of a point.
 */
export function declaredParts(program: SyntaxNode): ReadonlyMap<string, SyntaxNode> {
  const parts = new Map<string, SyntaxNode>();
  for (const { node } of walk(program)) {
    for (const [part, example] of examplesOfPoint(node)) parts.set(part, example);
    if (!isDefinition(node)) continue;
    for (const property of propertiesOf(nodesAt(node, "arguments")[0])) {
      const name = entryKey(property) ?? "";
      parts.set(name, property);
      for (const [index, link] of nodesAt(nodeAt(property, "value"), "elements").entries())
        parts.set(`${name} ${String(index)}`, link);
      for (const entry of propertiesOf(nodeAt(property, "value"))) parts.set(`${name} ${entryKey(entry) ?? ""}`, entry);
    }
  }
  return parts;
}

function isDefinition(node: SyntaxNode, name = "defineSection"): boolean {
  return node.type === "CallExpression" && nameOf(nodeAt(node, "callee")) === name;
}

/** The examples of a call of `defineExtensionPoint`, as in {@link declaredParts}. */
function examplesOfPoint(node: SyntaxNode): readonly (readonly [part: string, example: SyntaxNode])[] {
  if (!isDefinition(node, "defineExtensionPoint")) return [];
  const [point] = nodesAt(node, "arguments");
  const members = new Map(propertiesOf(point).map((property) => [entryKey(property), nodeAt(property, "value")]));
  const reference = `${String(members.get("id")?.value)}@${String(members.get("version")?.value)}`;
  const examples = members.get("examples");
  return examples
    ? nodesAt(examples, "elements").map((each, index) => [`${reference} ${String(index + 1)}`, each])
    : [];
}

function propertiesOf(node: SyntaxNode | undefined): SyntaxNode[] {
  return node?.type === "ObjectExpression" ? nodesAt(node, "properties") : [];
}

/** The key of `"key": value` or `key: value`. The build reads no other property. */
function entryKey(property: SyntaxNode): string | undefined {
  if (property.type !== "Property" || property.computed === true || property.method === true) return undefined;
  return keyOf(property);
}

function* findUnsupported(name: EntryMember, value: SyntaxNode | undefined): Generator<Found> {
  for (const property of propertiesOf(value)) {
    const key = entryKey(property);
    const isSupported = key !== undefined && isReadable(nodeAt(property, "value"));
    const what = key === undefined ? name : `${name}["${key}"]`;
    if (!isSupported)
      yield {
        code: "COL100",
        message: `${what} has a value that the build cannot read`,
        advice: `Write each entry as "key": ${IMPORT_FORM}, or "key": ${OWN_FORMS[name]}, without spreads, variables and computed keys.`,
        node: property,
      };
  }
}

function isReadable(load: SyntaxNode | undefined): boolean {
  const body = load?.type === "ArrowFunctionExpression" ? nodeAt(load, "body") : undefined;
  if (load?.async === true && body?.type === "ObjectExpression") return true;
  return body?.type === "ImportExpression" && textOf(nodeAt(body, "source")) !== undefined;
}

function isLiteral(node: SyntaxNode | undefined): boolean {
  switch (node?.type) {
    case "Literal":
      return true;
    case "UnaryExpression":
      return isLiteral(nodeAt(node, "argument"));
    case "ArrayExpression":
      return nodesAt(node, "elements").every(isLiteral);
    case "ObjectExpression":
      return propertiesOf(node).every(
        (property) => entryKey(property) !== undefined && isLiteral(nodeAt(property, "value")),
      );
    default:
      return false;
  }
}

function* findInPatterns(pages: readonly SyntaxNode[]): Generator<Found> {
  const earlier: string[] = [];
  for (const node of pages) {
    const pattern = entryKey(node);
    if (pattern === undefined) continue;
    const fault = patternFault(pattern, earlier);
    if (fault !== undefined) yield { code: "COL100", node, ...fault };
    earlier.push(pattern);
  }
}

function patternFault(pattern: string, earlier: readonly string[]): Pick<Found, "message" | "advice"> | undefined {
  const problem = patternProblem(pattern);
  if (problem !== null)
    return { message: `the pattern "${pattern}" is invalid: ${problem}`, advice: "Correct the pattern." };
  if (earlier.includes(pattern))
    return { message: `the pattern "${pattern}" has two pages`, advice: "Remove one of the two entries." };
  const other = earlier.find((candidate) => collidingPatterns(candidate, pattern));
  if (other === undefined) return undefined;
  const message = `the patterns "${other}" and "${pattern}" match the same paths`;
  return { message, advice: "Serve both by one page: the name of a param does not tell paths apart." };
}

function* findInReferences(extensions: SyntaxNode | undefined): Generator<Found> {
  const entries = propertiesOf(extensions);
  const earlier: string[] = [];
  for (const node of entries) {
    const reference = entryKey(node);
    if (reference === undefined) continue;
    const problem = referenceProblem(reference);
    if (problem !== null) {
      const message = `the reference "${reference}" of an extension point is invalid: ${problem}`;
      yield { code: "COL100", node, message, advice: "Correct the reference." };
    }
    if (earlier.includes(reference)) {
      const message = `the extension point "${reference}" has two extensions`;
      yield { code: "COL100", node, message, advice: "Show both by one extension: a section fills a point once." };
    }
    earlier.push(reference);
  }
  if (!extensions || entries.length <= MAX_EXTENSIONS) return;
  const message = `the section has ${String(entries.length)} extensions; expected at most ${String(MAX_EXTENSIONS)}`;
  yield { code: "COL100", node: extensions, message, advice: "Move some of them to another section." };
}
