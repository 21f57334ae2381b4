/** A node of an ESTree syntax tree, from a parser of JavaScript, JSX or TypeScript. */
export interface SyntaxNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

// These fields contain nodes that are no descendants.
const OTHER_FIELDS = new Set(["parent", "tokens", "comments"]);

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (const [field, value] of Object.entries(node)) {
    if (typeof value !== "object" || OTHER_FIELDS.has(field)) continue;
    if (Array.isArray(value)) children.push(...(value as unknown[]).filter(isNode));
    else if (isNode(value)) children.push(value);
  }
  return children;
}

interface Visit {
  readonly node: SyntaxNode;
  readonly ancestors: readonly SyntaxNode[];
}

/** Visits a node and its descendants in their order. `ancestors` starts with the root. */
export function* walk(root: SyntaxNode): Generator<Visit> {
  const visits: Visit[] = [{ node: root, ancestors: [] }];
  // A recursive generator would pass each visit through all its callers.
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    yield visit;
    const ancestors = [...visit.ancestors, visit.node];
    for (const node of childrenOf(visit.node).reverse()) visits.push({ node, ancestors });
  }
}

/** The node in a field of another node. */
export function nodeAt(node: SyntaxNode | undefined, field: string): SyntaxNode | undefined {
  const value = node?.[field];
  return isNode(value) ? value : undefined;
}

/** The nodes in a field of another node. */
export function nodesAt(node: SyntaxNode | undefined, field: string): SyntaxNode[] {
  const value = node?.[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The text of a string or template literal, up to its first expression that is not one of the constants. */
export function startOf(node: SyntaxNode | undefined, constants?: Constants): string | undefined {
  const constantText = (name: string): string | undefined => textOf(constants?.get(name));
  if (node?.type !== "TemplateLiteral") return textOf(node) ?? constantText(nameOf(node));
  const expressions = nodesAt(node, "expressions");
  let start = "";
  for (const [index, { value }] of nodesAt(node, "quasis").entries()) {
    start += (value as { readonly cooked?: string | null }).cooked ?? "";
    const next = constantText(nameOf(expressions[index]));
    if (next === undefined) break;
    start += next;
  }
  return start;
}

/** The text of a string or template literal whose expressions are all constants, or of a constant. Undefined for others. */
export function wholeTextOf(node: SyntaxNode | undefined, constants?: Constants): string | undefined {
  const isKnown = (expression: SyntaxNode): boolean => textOf(constants?.get(nameOf(expression))) !== undefined;
  return nodesAt(node, "expressions").every(isKnown) ? startOf(node, constants) : undefined;
}

/** The text of a string literal. */
export function textOf(node: SyntaxNode | undefined): string | undefined {
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

/**
 * The name of an identifier, or the dotted name of a member, such as `Math.random`, `Math["random"]`, `import.meta` or `<Kit.Link>`.
 * Empty for other nodes.
 */
export function nameOf(node: SyntaxNode | undefined): string {
  if (node?.type === "Identifier" || node?.type === "JSXIdentifier") return String(node.name);
  if (node?.type === "MetaProperty") return `${nameOf(nodeAt(node, "meta"))}.${nameOf(nodeAt(node, "property"))}`;
  // A cast, in the sources of TypeScript.
  if (/^TS\w+Expression$/.test(node?.type ?? "")) return nameOf(nodeAt(node, "expression"));
  if (node?.type !== "MemberExpression" && node?.type !== "JSXMemberExpression") return "";
  const property = nodeAt(node, "property");
  const name = node.computed === true ? textOf(property) : nameOf(property);
  return name === undefined ? "" : `${nameOf(nodeAt(node, "object"))}.${name}`;
}

/** The name of a property of an object. Empty if it is computed. */
export function keyOf(property: SyntaxNode): string {
  const key = nodeAt(property, "key");
  return textOf(key) ?? (property.computed === true ? "" : nameOf(key));
}

/** A node that is a function. */
interface FunctionNode extends SyntaxNode {
  readonly params: readonly unknown[];
}

/** Whether a node is a function. */
export function isFunction(node: SyntaxNode | undefined): node is FunctionNode {
  return /^(ArrowFunctionExpression|FunctionDeclaration|FunctionExpression)$/.test(node?.type ?? "");
}

/** The names that a module declares anywhere, so that they may not be those of globals. */
export function declaredNames(program: SyntaxNode): ReadonlySet<string> {
  return new Set(declarations(program));
}

/** The values of a module's constants by name: also its functions, and for a name in a list or an object, the value of that. */
export type Constants = ReadonlyMap<string, SyntaxNode>;

/**
 * The constants of a module whose names it declares once, so that no other variable hides them, without objects of which it sets
 * a member.
 */
export function constantsOf(program: SyntaxNode): Constants {
  const names = [...declarations(program)];
  const constants = new Map<string, SyntaxNode>();
  const changed = new Set<string>();
  const add = (pattern: SyntaxNode | undefined, value: SyntaxNode | undefined): void => {
    const name = nameOf(pattern);
    if (value && name !== "" && names.indexOf(name) === names.lastIndexOf(name)) constants.set(name, value);
  };
  for (const { node } of walk(program)) {
    if (node.type === "FunctionDeclaration") add(nodeAt(node, "id"), node);
    if (node.type === "AssignmentExpression") changed.add(nameOf(nodeAt(nodeAt(node, "left"), "object")));
    if (node.type !== "VariableDeclaration" || node.kind !== "const") continue;
    for (const declarator of nodesAt(node, "declarations")) {
      const [id, value] = [nodeAt(declarator, "id"), nodeAt(declarator, "init")];
      const members = nodesAt(id, "properties").map((property) => nodeAt(property, "value"));
      for (const pattern of [id, ...nodesAt(id, "elements"), ...members]) add(pattern, value);
    }
  }
  for (const name of changed) if (constants.get(name)?.type === "ObjectExpression") constants.delete(name);
  return constants;
}

/** The names that a module declares, with repetitions. */
function* declarations(program: SyntaxNode): Generator<string> {
  for (const { node } of walk(program)) {
    if (node.type === "ExportSpecifier") continue;
    const declared = isFunction(node)
      ? [nodeAt(node, "id"), ...nodesAt(node, "params")]
      : node.type === "VariableDeclarator" || node.type === "ClassDeclaration"
        ? [nodeAt(node, "id")]
        : [nodeAt(node, "local")];
    for (const pattern of declared) if (pattern) yield* namesIn(pattern);
  }
}

function* namesIn(pattern: SyntaxNode): Generator<string> {
  for (const { node, ancestors } of walk(pattern)) {
    // Types, default values and keys use names, and declare none.
    const isUsed =
      ancestors.some(({ type }) => /^TS|Expression$/.test(type)) || nodeAt(ancestors.at(-1), "key") === node;
    if (node.type === "Identifier" && !isUsed) yield nameOf(node);
  }
}
