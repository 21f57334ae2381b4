// The rule for elements in lists, which need a key.
import type { Found } from "./finding.js";
import { isFunction, keyOf, nameOf, nodeAt, nodesAt, walk, type SyntaxNode } from "./syntax.js";

const LIST_METHOD = /\.(map|flatMap)$/;
/** The name of the function that a compiler calls for an element. */
export const COMPILED_ELEMENT = /^_?jsxs?$/;

/** Finds elements without a key in an array, and in what the callback of a list method returns. */
export function* findMissingKeys(node: SyntaxNode, parent: SyntaxNode | undefined): Generator<Found> {
  const item = itemsOf(node, parent).flatMap(branchesOf).find(lacksKey);
  if (item) yield { code: "COL153", message: "the section renders a list whose elements have no key", node: item };
}

function itemsOf(node: SyntaxNode, parent: SyntaxNode | undefined): SyntaxNode[] {
  // The children of a compiled element are an array whose elements need no key.
  const isChildren = parent?.type === "Property" && keyOf(parent) === "children";
  if (node.type === "ArrayExpression") return isChildren ? [] : nodesAt(node, "elements");
  if (node.type !== "CallExpression") return [];
  const name = nameOf(nodeAt(node, "callee"));
  const [first, second] = nodesAt(node, "arguments");
  const callback = LIST_METHOD.test(name) ? first : name === "Array.from" ? second : undefined;
  return isFunction(callback) ? resultsOf(callback) : [];
}

/** What a function can return. */
function resultsOf(code: SyntaxNode): SyntaxNode[] {
  const body = nodeAt(code, "body");
  if (body?.type !== "BlockStatement") return body ? [body] : [];
  return [...walk(body)]
    .filter(({ node, ancestors }) => node.type === "ReturnStatement" && !ancestors.some(isFunction))
    .flatMap(({ node }) => nodeAt(node, "argument") ?? []);
}

/** What a conditional or logical expression can yield. */
export function branchesOf(node: SyntaxNode): SyntaxNode[] {
  const fields = { ConditionalExpression: ["consequent", "alternate"], LogicalExpression: ["right"] }[node.type];
  return fields ? fields.flatMap((field) => nodeAt(node, field) ?? []).flatMap(branchesOf) : [node];
}

function lacksKey(node: SyntaxNode): boolean {
  if (node.type === "JSXFragment") return true;
  const attributes = nodesAt(nodeAt(node, "openingElement"), "attributes");
  if (node.type === "JSXElement") return !attributes.some((attribute) => nameOf(nodeAt(attribute, "name")) === "key");
  // The third argument of the function that a compiler calls is the key.
  const isCompiled = node.type === "CallExpression" && COMPILED_ELEMENT.test(nameOf(nodeAt(node, "callee")));
  return isCompiled && nodesAt(node, "arguments").length < 3;
}
