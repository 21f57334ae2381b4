// The rule for conditional texts next to other content. A browser that translates the page replaces text nodes, so React
// no longer finds the one that it removes or changes.
import type { Found } from "./finding.js";
import { branchesOf, COMPILED_ELEMENT } from "./keys.js";
import { keyOf, nameOf, nodeAt, nodesAt, textOf, type SyntaxNode } from "./syntax.js";

const CONDITION = /^(Conditional|Logical)Expression$/;

/** Finds texts that depend on a condition and are not alone in their element. */
export function* findConditionalTexts(node: SyntaxNode): Generator<Found> {
  const children = childrenOf(node).filter((child) => !isBlank(child));
  if (children.length < 2) return;
  for (const child of children)
    if (CONDITION.test(child.type) && branchesOf(child).some(isText))
      yield { code: "COL154", message: "the section renders a conditional text next to other content", node: child };
}

/** The children of an element, in its source or as a compiler writes them. */
function childrenOf(node: SyntaxNode): SyntaxNode[] {
  if (/^JSX(Element|Fragment)$/.test(node.type))
    return nodesAt(node, "children").map((child) => nodeAt(child, "expression") ?? child);
  if (node.type !== "CallExpression" || !COMPILED_ELEMENT.test(nameOf(nodeAt(node, "callee")))) return [];
  const properties = nodesAt(nodesAt(node, "arguments")[1], "properties");
  const children = properties.find((property) => keyOf(property) === "children");
  return nodesAt(nodeAt(children, "value"), "elements");
}

function isBlank({ type, value }: SyntaxNode): boolean {
  return type === "JSXEmptyExpression" || (typeof value === "string" && value.trim() === "");
}

/** Whether a node is a text with words. A separator, such as a comma, needs no translation. */
function isText(node: SyntaxNode): boolean {
  return node.type === "TemplateLiteral" || /\p{L}/u.test(textOf(node) ?? "");
}
