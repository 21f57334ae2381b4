// The rules of `colonnade check` that need no run of the section. The check applies them to compiled modules, where JSX is a
// function call, and the ESLint configuration applies them to sources.
import {
  blockedCall,
  blockedCreation,
  blockedOption,
  blockedProp,
  fileKeyOf,
  FORM_TARGET,
  misplacedFile,
  type BlockedUrl,
  type FileKey,
} from "./blockedUrls.js";
import { FORM_ACTION_HELP, HEAD_ELEMENT_HELP, styleLibraryHelp, type ProblemCode } from "./codes.js";
import { findConditionalTexts } from "./conditionalText.js";
import { findInDeclaration } from "./declaration.js";
import { deniedFeatures } from "./deniedFeatures.js";
import type { Finding, Found } from "./finding.js";
import { findMissingKeys } from "./keys.js";
import { MARKUP, STYLE_ATTRIBUTES, STYLE_ELEMENTS, type Permission } from "./permission.js";
import {
  constantsOf,
  declaredNames,
  isFunction,
  keyOf,
  nameOf,
  nodeAt,
  nodesAt,
  startOf,
  textOf,
  walk,
  wholeTextOf,
  type Constants,
  type SyntaxNode,
} from "./syntax.js";

type Rule = readonly [code: ProblemCode, name: RegExp];

// Names of globals and their members. A render on the server must not use them.
const IMPURE_CALLS: readonly Rule[] = [
  ["COL101", /^(Date|performance)\.now$/],
  ["COL102", /^(Math\.random|crypto\.(randomUUID|getRandomValues))$/],
  ["COL104", /^(fetch|setTimeout|setInterval|requestAnimationFrame)$/],
];
const IMPURE_METHOD = /\.(toLocale\w*String|toLocale(Lower|Upper)Case|localeCompare)$/;
const BROWSER_GLOBAL = /^(window|document|navigator|localStorage|sessionStorage|location|history|self)$/;
const ENVIRONMENT = /^(process|import\.meta)\.env$/;
const LOCALE_MEMBER = /^Intl\.\w+$/;
const BROWSER_MEMBER =
  /^((window|localStorage|sessionStorage)\.\w+|document\.(body|cookie|createElement|documentElement|getElementById|querySelector|querySelectorAll|title))$/;

// The site's policy blocks these in the browser as well.
const MARKUP_METHOD = /\.(insertAdjacentHTML|setHTMLUnsafe|createContextualFragment)$/;
const DOCUMENT_WRITE = /^((globalThis|self|window)\.)?document\.write(ln)?$/;
const EVENT_HANDLER = /^on[a-z]+$/i;
const MARKUP_PROPERTY = /\.(innerHTML|outerHTML|srcdoc|dangerouslySetInnerHTML)$/;
const MARKUP_PROP = /^(dangerouslySetInnerHTML|srcDoc)$/;
const EVALUATION = /^((globalThis|self|window)\.)?(eval|Function)$/;
const TIMER = /^((globalThis|self|window)\.)?(setInterval|setTimeout)$/;
// Compilers of JSX rename the functions that they import.
const CREATE_ELEMENT = /^(React\.)?_?(jsxs?|createElement)$/;

const KIT = /^@colonnade\/kit(\/|$)/;
const PORTAL = /^((React)?DOM\.)?createPortal$/;
const BODY = /^((globalThis|self|window)\.)?document\.body$/;
const ANY_BODY = /(^|\.)(doc|document|ownerDocument)\.body$/;
const PACKAGE_PORTAL =
  "Give the package the element of usePortalContainer(), such as `container` of its portal: plain stylesheets of the section do not " +
  "apply elsewhere in the body.";
const INTO_BODY = "the section renders a portal into document.body";
const ACTION_STATE = /^(React\.)?useActionState$/;

// Creates an element without React.
const CREATE_NODE = /(^|\.)(doc|document|ownerDocument)\.createElement$/;

// The shell, other sections, React's renderers, tools, and the exports of the kit that are not for sections.
const FORBIDDEN_IMPORT =
  /^(react-dom\/(server|client|static)|@module-federation|@colonnade\/(cli|shell|mfe-[^/]+|kit\/(contract|server|shell|testing)))(?![\w-])/;
// These libraries create style elements in the browser, which a render on the server does not show.
const STYLE_LIBRARY = /^(?:(styled-components)|@(emotion)\/(?:css|react|styled))(?![\w-])/;

const CALLED_AT_ONCE = /^(React\.)?use(State|Memo)$/;
const DEFINITION = /^define(Page|Extension)$/;
const PAGE_FUNCTION = /^(queries|data|head|layout|paths)$/;
// What is in one of these may not run on the server, such as after a test of `typeof window`.
const CONDITION = /^(IfStatement|ConditionalExpression|LogicalExpression)$/;
const UNCERTAIN = /^(SwitchStatement|TryStatement|PropertyDefinition|(For|ForIn|ForOf|While)Statement)$/;

/** Finds the violations in a module. */
export function* findViolations(program: SyntaxNode): Generator<Finding> {
  const declared = declaredNames(program);
  const constants = constantsOf(program);
  const component = renderedMember(program);
  const functions = pageFunctions(program, component);
  const tags = new Set([...walk(program)].map(({ node }) => elementOf(node)?.tag));
  const ofKit = new Set(nodesAt(program, "body").flatMap(importedFromKit));
  for (const { node, ancestors } of walk(program)) {
    const parent = ancestors.at(-1);
    for (const found of [
      ...findElements(node, constants),
      ...findStyles(node, ofKit),
      // COL172 has those of extensions.
      ...(declared.has("defineExtension") ? [] : findHeadElements(node, tags.has("svg"))),
      ...findProps(node, parent, tags.has("iframe"), constants),
      ...findMarkup(node, declared, constants),
      ...findFeatures(node, ancestors, declared, constants),
      ...findImports(node),
      ...findInDeclaration(node),
      ...findMissingKeys(node, parent),
      ...findConditionalTexts(node),
      ...findPortals(node),
    ])
      yield { ...found, isCertain: true };
    if (isEnvironment(node, parent) && !declared.has("process")) yield environmentFinding(node, ancestors);
    if (isBrowserTest(node, declared) && isInFunction(ancestors) && isOnServer(ancestors, component))
      yield browserTestFinding(node);
    for (const found of [...findImpurity(node, declared), ...findFormActions(node, constants)]) {
      if (!isOnServer(ancestors, component) || (found.code === "COL105" && isConditional(ancestors))) continue;
      yield { ...found, isCertain: functions !== undefined && isCertain(node, ancestors, functions) };
    }
  }
}

/** Finds what the policy blocks if the code of a package runs in a browser. */
export function* findInPackage(program: SyntaxNode): Generator<Found> {
  const declared = declaredNames(program);
  let portal: SyntaxNode | undefined;
  let isInBody = false;
  for (const { node, ancestors } of walk(program)) {
    if (isCreatePortal(node)) portal ??= node;
    isInBody ||= ANY_BODY.test(nameOf(node));
    if (!declared.has("Function")) yield* findAliasedFunction(node, ancestors);
    // Scripts can set styles that HTML cannot have.
    for (const found of findElements(node)) if (found.code !== "COL120") yield found;
    if (!isAllowedAssignment(node)) yield* findMarkup(node, declared);
    yield* findFeatures(node, ancestors, declared);
    const tag = CREATE_NODE.test(nameOf(nodeAt(node, "callee"))) ? textOf(nodesAt(node, "arguments")[0]) : undefined;
    if (tag === "script") yield { code: "COL122", message: "the section creates a <script> element", node };
    if (tag === "style")
      yield { code: "COL123", message: "the section creates a <style> element", node, permission: STYLE_ELEMENTS };
  }
  if (portal && isInBody) yield { code: "COL156", message: INTO_BODY, node: portal, advice: PACKAGE_PORTAL };
}

/** Whether a node imports React's `createPortal`, or is a member of this name. */
function isCreatePortal(node: SyntaxNode): boolean {
  const name = node.type === "ImportSpecifier" ? nameOf(nodeAt(node, "imported")) : nameOf(nodeAt(node, "property"));
  return name === "createPortal";
}

/** Finds the calls of another name of Function, such as in `const F = Function; new F("")`, in the block that declares it. */
function* findAliasedFunction(node: SyntaxNode, ancestors: readonly SyntaxNode[]): Generator<Found> {
  const block = ancestors.at(-2);
  if (!block || node.type !== "VariableDeclarator" || nameOf(nodeAt(node, "init")) !== "Function") return;
  const alias = nameOf(nodeAt(node, "id"));
  for (const { node: call } of walk(block))
    if (/^(Call|New)Expression$/.test(call.type) && nameOf(nodeAt(call, "callee")) === alias)
      yield { code: "COL121", message: "the section uses Function()", node: call };
}

/** Whether a package sets a prop, or text, which the shell's Trusted Types policy allows. */
function isAllowedAssignment(node: SyntaxNode): boolean {
  const isProp = nameOf(nodeAt(node, "left")).endsWith(".dangerouslySetInnerHTML");
  return isProp || textOf(nodeAt(node, "right"))?.includes("<") === false;
}

function* findElements(node: SyntaxNode, constants?: Constants): Generator<Found> {
  const element = elementOf(node);
  if (!element) return;
  const { tag, attributes } = element;
  if (tag === "script") yield { code: "COL122", message: "the section contains a <script> element", node };
  if (tag === "style") {
    yield { code: "COL123", message: "the section contains a <style> element", node, permission: STYLE_ELEMENTS };
    return;
  }
  const rel = startOf(attributes.find(([name]) => name === "rel")?.[2], constants);
  for (const [name, attribute, value] of attributes) {
    const message = `the section contains the prop "${name}" of a <${tag ?? "component"}> element`;
    if (name === "style" && tag !== undefined)
      yield { code: "COL120", message, node: attribute, permission: STYLE_ATTRIBUTES };
    if (MARKUP_PROP.test(name)) yield { code: "COL121", message, node: attribute, permission: MARKUP };
    if (tag === undefined) continue;
    const blocked =
      blockedProp(tag, name, startOf(value, constants), rel) ?? misplacedFile(tag, name, wholeTextOf(value, constants));
    if (blocked) yield foundUrl(blocked, attribute);
  }
}

/** Finds styles of components of the kit, such as `<Link>`, which pass them to their element. */
function* findStyles(node: SyntaxNode, ofKit: ReadonlySet<string>): Generator<Found> {
  const element = elementOf(node);
  const style = element?.attributes.find(([name]) => name === "style");
  if (!element || !style || element.tag !== undefined) return;
  const message = `the section contains the prop "style" of a <${element.component}> element`;
  if (ofKit.has(element.component.replace(/\..*/, "")) || isSearchLink(element))
    yield { code: "COL120", message, node: style[1], permission: STYLE_ATTRIBUTES };
}

/** The local names of what a declaration imports from the kit. */
function importedFromKit(node: SyntaxNode): string[] {
  const isKit = node.type === "ImportDeclaration" && KIT.test(textOf(nodeAt(node, "source")) ?? "");
  return isKit ? nodesAt(node, "specifiers").map((specifier) => nameOf(nodeAt(specifier, "local"))) : [];
}

/** Whether an element is a `Link` of declared query parameters, which may have any name. */
function isSearchLink({ attributes }: Element): boolean {
  const props = new Set(attributes.map(([name]) => name));
  return props.has("to") && props.has("search");
}

/** Finds what changes the head of the document. A module with pictures has their titles. */
function* findHeadElements(node: SyntaxNode, hasPictures: boolean): Generator<Found> {
  const { tag, attributes = [] } = elementOf(node) ?? {};
  const isHead =
    tag === "base" ||
    (tag === "title" && !hasPictures) ||
    // Those of microdata are part of the content.
    (tag === "meta" && !attributes.some(([name]) => /^(itemProp|)$/.test(name))) ||
    (tag === "link" && attributes.some(([name, , value]) => name === "rel" && textOf(value) === "canonical"));
  const message = `the section contains a <${tag ?? ""}> element, which changes the document's head`;
  if (isHead) yield { code: "COL115", message, advice: HEAD_ELEMENT_HELP, node };
}

/** Finds forms whose target is a function. Those that only a browser renders work. */
function* findFormActions(node: SyntaxNode, constants: Constants): Generator<Found> {
  const { tag = "", attributes = [] } = elementOf(node) ?? {};
  for (const [name, attribute, value] of attributes) {
    const message = `the section contains the prop "${name}" of a <${tag}> element with a function`;
    if (FORM_TARGET[tag] === name && isAction(value, constants))
      yield { code: "COL122", message, advice: FORM_ACTION_HELP, node: attribute };
  }
}

/** Whether a value is a function as far as the module says, also one of React's `useActionState`. */
function isAction(value: SyntaxNode | undefined, constants: Constants): boolean {
  const action = constants.get(nameOf(value)) ?? value;
  return isFunction(action) || ACTION_STATE.test(nameOf(nodeAt(action, "callee")));
}

function foundUrl({ message, ...rest }: BlockedUrl, node: SyntaxNode): Found {
  return { code: "COL125", message: `the section contains ${message}`, ...rest, node };
}

/** Returns what the elements of a module load from URLs that are neither text nor imported. */
export function shownFiles(program: SyntaxNode): FileKey[] {
  const constants = constantsOf(program);
  const nodes = [...walk(program)].map(({ node }) => node);
  const imported = new Set(
    nodes.filter(({ type }) => type === "ImportDefaultSpecifier").map((node) => nameOf(nodeAt(node, "local"))),
  );
  return nodes.flatMap((node) => {
    const { tag = "", attributes = [] } = elementOf(node) ?? {};
    const unknown = attributes.filter(
      ([, , value]) => startOf(value, constants) === undefined && !imported.has(nameOf(value)),
    );
    return unknown.flatMap(([name]) => fileKeyOf(tag, name) ?? []);
  });
}

/** Finds the calls that create URLs which no element may load. Elements of other modules may have them. */
export function* findCreatedUrls(program: SyntaxNode): Generator<Found & { readonly fileKey: FileKey }> {
  for (const { node } of walk(program)) {
    const callee = node.type === "CallExpression" ? nodeAt(node, "callee") : undefined;
    for (const fileKey of ["images", "media"] as const) {
      const blocked = blockedCreation(lastPart(nameOf(callee)), fileKey);
      if (blocked) yield { ...foundUrl(blocked, lastNode(callee) ?? node), fileKey };
    }
  }
}

interface Element {
  /** Undefined for an element of a component. */
  readonly tag: string | undefined;
  /** The name of the component, or the tag. */
  readonly component: string;
  /** The attributes by name, each with the node to report and its value. */
  readonly attributes: readonly (readonly [string, SyntaxNode, SyntaxNode | undefined])[];
}

function elementOf(node: SyntaxNode): Element | undefined {
  if (node.type === "JSXOpeningElement") {
    const name = nameOf(nodeAt(node, "name"));
    const attributes = nodesAt(node, "attributes").map((attribute) => {
      const value = nodeAt(attribute, "value");
      return [nameOf(nodeAt(attribute, "name")), attribute, nodeAt(value, "expression") ?? value] as const;
    });
    return { tag: /^[a-z][^.]*$/.test(name) ? name : undefined, component: name, attributes };
  }
  if (node.type !== "CallExpression" || !CREATE_ELEMENT.test(nameOf(nodeAt(node, "callee")))) return undefined;
  const [type, props] = nodesAt(node, "arguments");
  const attributes = nodesAt(props, "properties").map(
    (property) => [keyOf(property), node, nodeAt(property, "value")] as const,
  );
  return { tag: textOf(type), component: nameOf(type), attributes };
}

/** Finds props and options in an object literal, which an element may spread. Without an `<iframe>`, the key "srcDoc" is no prop. */
function* findProps(
  node: SyntaxNode,
  parent: SyntaxNode | undefined,
  hasFrame: boolean,
  constants: Constants,
): Generator<Found> {
  if (node.type !== "ObjectExpression" || (parent && elementOf(parent))) return;
  for (const property of nodesAt(node, "properties")) {
    const name = keyOf(property);
    const url = blockedOption(name, startOf(nodeAt(property, "value"), constants));
    if (url) yield foundUrl(url, property);
    if (hasFrame ? MARKUP_PROP.test(name) : name === "dangerouslySetInnerHTML")
      yield { code: "COL121", message: `the section contains the prop "${name}"`, node: property, permission: MARKUP };
  }
}

function* findMarkup(node: SyntaxNode, declared: ReadonlySet<string>, constants?: Constants): Generator<Found> {
  if (node.type === "AssignmentExpression") {
    const name = nameOf(nodeAt(node, "left"));
    if (MARKUP_PROPERTY.test(name))
      yield { code: "COL121", message: `the section sets ${lastPart(name)}`, node, permission: MARKUP };
  }
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return;
  const callee = nodeAt(node, "callee");
  const name = nameOf(callee);
  const uses = (what: string, permission?: Permission): Found => ({
    code: "COL121",
    message: `the section uses ${what}`,
    node: lastNode(callee) ?? node,
    permission,
  });
  const start = startOf(nodesAt(node, "arguments")[0], constants);
  if (MARKUP_METHOD.test(name)) yield uses(`${lastPart(name)}()`, MARKUP);
  // A package may export a parser with the same name and method.
  if (name.endsWith(".parseFromString") && !declared.has("DOMParser")) yield uses("parseFromString()", MARKUP);
  if (DOCUMENT_WRITE.test(name) && !declared.has("document")) yield uses(`document.${lastPart(name)}()`, MARKUP);
  if (name.endsWith(".setAttribute") && EVENT_HANDLER.test(start ?? "")) yield uses(`setAttribute("${start ?? ""}")`);
  if (declared.has(name)) return;
  const url = blockedCall(name, start);
  if (url) yield foundUrl(url, lastNode(callee) ?? node);
  // Runtimes of bundlers ask so for the global object if there is no `globalThis`.
  if (EVALUATION.test(name) && start !== "return this") yield uses(`${lastPart(name)}()`);
  if (TIMER.test(name) && start !== undefined) yield uses(`${lastPart(name)}() with a string`);
}

function* findFeatures(
  node: SyntaxNode,
  ancestors: readonly SyntaxNode[],
  declared: ReadonlySet<string>,
  constants?: Constants,
): Generator<Found> {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return;
  const callee = nodeAt(node, "callee");
  const name = nameOf(callee);
  if (declared.has(name)) return;
  for (const { feature, severity } of deniedFeatures(name, node, declared, constants)) {
    const isUncertain = severity !== undefined || followsCondition(node, ancestors);
    yield {
      code: "COL127",
      message: `the section uses the feature ${feature} (${lastPart(name)}())`,
      permission: { key: "features", value: feature },
      node: lastNode(callee) ?? node,
      ...(isUncertain && { severity: "warning" }),
    };
  }
}

function* findImports(node: SyntaxNode): Generator<Found> {
  const isCall = node.type === "CallExpression" && nameOf(nodeAt(node, "callee")) === "require";
  const isImport = /^(Import(Declaration|Expression)|Export(All|Named)Declaration)$/.test(node.type);
  if (!isCall && (!isImport || node.importKind === "type" || node.exportKind === "type")) return;
  const specifier = textOf(isCall ? nodesAt(node, "arguments")[0] : nodeAt(node, "source")) ?? "";
  if (FORBIDDEN_IMPORT.test(specifier))
    yield { code: "COL131", message: `the section imports ${specifier}, which is not for sections`, node };
  const library = STYLE_LIBRARY.exec(specifier)?.slice(1).find(Boolean);
  if (library !== undefined)
    yield {
      code: "COL123",
      message: `the section imports ${specifier}`,
      advice: styleLibraryHelp(library),
      node,
      permission: STYLE_ELEMENTS,
    };
}

function* findPortals(node: SyntaxNode): Generator<Found> {
  const isPortal = node.type === "CallExpression" && PORTAL.test(nameOf(nodeAt(node, "callee")));
  if (isPortal && BODY.test(nameOf(nodesAt(node, "arguments")[1]))) yield { code: "COL156", message: INTO_BODY, node };
}

function isEnvironment(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  return ENVIRONMENT.test(nameOf(node)) && nameOf(parent) !== "process.env.NODE_ENV";
}

function environmentFinding(node: SyntaxNode, ancestors: readonly SyntaxNode[]): Finding {
  const name = nameOf(ancestors.at(-1)) || nameOf(node);
  return {
    code: "COL130",
    message: `the section uses ${name}, which neither browsers nor the gateway have`,
    node,
    isCertain: true,
  };
}

/** Whether a node tests whether it runs in a browser, such as `typeof window`. */
function isBrowserTest(node: SyntaxNode, declared: ReadonlySet<string>): boolean {
  if (node.type !== "UnaryExpression" || node.operator !== "typeof") return false;
  const name = nameOf(nodeAt(node, "argument")).replace(/^globalThis\./, "");
  return BROWSER_GLOBAL.test(name) && !declared.has(name);
}

function browserTestFinding(node: SyntaxNode): Finding {
  const name = nameOf(nodeAt(node, "argument"));
  return {
    code: "COL105",
    message: `the section tests typeof ${name} in a render, so the server and the browser render different pages`,
    advice: "Render the same on both: useHydrated() is false on the server and during hydration, and then true.",
    node,
    isCertain: true,
  };
}

function isInFunction(ancestors: readonly SyntaxNode[]): boolean {
  return ancestors.some(isFunction);
}

function* findImpurity(node: SyntaxNode, declared: ReadonlySet<string>): Generator<Found> {
  const callee = node.type === "CallExpression" ? nodeAt(node, "callee") : undefined;
  const called = nameOf(callee);
  const uses = (what: string): string => `the section uses ${what} on the server`;
  if (IMPURE_METHOD.test(called))
    yield { code: "COL103", message: uses(`${lastPart(called)}()`), node: lastNode(callee) ?? node };
  const name = called || nameOf(node.type === "NewExpression" ? nodeAt(node, "callee") : node);
  if (declared.has(name.split(".")[0] ?? "")) return;
  const [code] = IMPURE_CALLS.find(([, pattern]) => pattern.test(called)) ?? [];
  if (code) yield { code, message: uses(`${called}()`), node: lastNode(callee) ?? node };
  if (node.type === "NewExpression" && name === "Date" && nodesAt(node, "arguments").length === 0)
    yield { code: "COL101", message: uses("new Date()"), node };
  if (node.type !== "MemberExpression") return;
  if (LOCALE_MEMBER.test(name)) yield { code: "COL103", message: uses(name), node: lastNode(node) ?? node };
  if (BROWSER_MEMBER.test(name)) yield { code: "COL105", message: uses(name), node };
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

// Engines report the position of a method, not that of its object.
function lastNode(callee: SyntaxNode | undefined): SyntaxNode | undefined {
  return nodeAt(callee, "property") ?? callee;
}

/** The member of a page that the server renders. */
type RenderedMember = "Component" | "fallback";

/** What the server renders of the pages of a module: the fallback if one is `browserOnly`. */
function renderedMember(program: SyntaxNode): RenderedMember {
  for (const { node, ancestors } of walk(program))
    if (node.type === "Property" && keyOf(node) === "browserOnly" && isDefinition(ancestors.at(-2))) return "fallback";
  return "Component";
}

/** Whether a node is outside of functions, in a member of a page, or directly in a component that the server renders. */
function isOnServer(ancestors: readonly SyntaxNode[], component: RenderedMember): boolean {
  const [outer, inner] = ownFunctions(ancestors);
  // Functions inside of a component may be effects or event handlers.
  return (
    outer === undefined || isInMember(ancestors) || (inner === undefined && isComponent(outer, ancestors, component))
  );
}

/** The functions around a node, without those that React calls at once: the initial state is a part of the render. */
function ownFunctions(ancestors: readonly SyntaxNode[]): SyntaxNode[] {
  return ancestors.filter((node, index) => {
    const call = ancestors[index - 1];
    return (
      isFunction(node) && !(call?.type === "CallExpression" && CALLED_AT_ONCE.test(nameOf(nodeAt(call, "callee"))))
    );
  });
}

function isInMember(ancestors: readonly SyntaxNode[]): boolean {
  return ancestors.some((node, index) => {
    const call = ancestors[index - 2];
    return node.type === "Property" && PAGE_FUNCTION.test(keyOf(node)) && isDefinition(call);
  });
}

function isDefinition(node: SyntaxNode | undefined): boolean {
  return node?.type === "CallExpression" && DEFINITION.test(nameOf(nodeAt(node, "callee")));
}

function isComponent(node: SyntaxNode, ancestors: readonly SyntaxNode[], component: RenderedMember): boolean {
  const parent = ancestors[ancestors.indexOf(node) - 1];
  if (parent?.type === "Property") return keyOf(parent) === component;
  // Which of the others a fallback uses is not known.
  if (component === "fallback") return false;
  if (node.type === "FunctionDeclaration") return /^[A-Z]/.test(nameOf(nodeAt(node, "id")));
  return parent?.type === "VariableDeclarator" && /^[A-Z]/.test(nameOf(nodeAt(parent, "id")));
}

function isConditional(ancestors: readonly SyntaxNode[]): boolean {
  return ancestors.some(({ type }) => CONDITION.test(type));
}

/** Whether a condition decides if a node runs: around it, or with an earlier end of a function around it. */
function followsCondition(node: SyntaxNode, ancestors: readonly SyntaxNode[]): boolean {
  const path = [...ancestors, node];
  return ancestors.some((ancestor, index) => {
    if (isFunction(ancestor)) return endsBefore(ancestor, node);
    const first = nodeAt(ancestor, "test") ?? nodeAt(ancestor, "left");
    return (CONDITION.test(ancestor.type) || ancestor.type === "SwitchCase") && first !== path[index + 1];
  });
}

/** The functions that pages of a module consist of. Undefined if the module has no page. */
function pageFunctions(program: SyntaxNode, component: RenderedMember): ReadonlySet<SyntaxNode> | undefined {
  const named = new Map<string, SyntaxNode>();
  const members: SyntaxNode[] = [];
  let isPage = false;
  for (const { node, ancestors } of walk(program)) {
    if (node.type === "FunctionDeclaration") named.set(nameOf(nodeAt(node, "id")), node);
    const value = nodeAt(node, "init");
    if (node.type === "VariableDeclarator" && isFunction(value)) named.set(nameOf(nodeAt(node, "id")), value);
    if (isDefinition(node)) isPage = true;
    const member = nodeAt(node, "value");
    if (node.type !== "Property" || !member || !isDefinition(ancestors.at(-2))) continue;
    const key = keyOf(node);
    if (key === component || PAGE_FUNCTION.test(key)) members.push(member);
  }
  if (!isPage) return undefined;
  const functions = members.map((member) => (isFunction(member) ? member : named.get(nameOf(member))));
  return new Set(functions.filter((node) => node !== undefined));
}

/** Whether a node of a compiled page module runs whenever the server renders the page. */
function isCertain(node: SyntaxNode, ancestors: readonly SyntaxNode[], pages: ReadonlySet<SyntaxNode>): boolean {
  if (isConditional(ancestors) || ancestors.some(({ type }) => UNCERTAIN.test(type))) return false;
  const [outer, inner] = ownFunctions(ancestors);
  return outer === undefined || (inner === undefined && pages.has(outer) && !endsBefore(outer, node));
}

function endsBefore(code: SyntaxNode, node: SyntaxNode): boolean {
  for (const { node: other, ancestors } of walk(code))
    if (/^(Return|Throw)Statement$/.test(other.type) && Number(other.end) <= Number(node.start))
      if (ancestors.filter(isFunction).length === 1) return true;
  return false;
}
