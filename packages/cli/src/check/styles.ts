import { readdir, readFile } from "node:fs/promises";
import { SourceMap } from "node:module";
import path from "node:path";

import { parse, type AtRule, type ChildNode, type Container, type Document, type Node, type Rule } from "postcss";
import selectorParser, { type Root, type Selector } from "postcss-selector-parser";
import type { Compilation } from "webpack";

import type { BuildContext } from "../build/context.js";
import { blockedStyleUrl } from "./blockedUrls.js";
import { formatPosition } from "./positions.js";
import { problemOf, type Problem } from "./problem.js";
import { importedUrl, locateUrl, urlsIn } from "./styleUrls.js";

// The gateway applies the same rules to a published release: gateway/crates/platform/src/publish/style.
const GROUPS = new Set(["media", "supports", "container", "starting-style"]);
const IGNORED = new Set(["charset", "namespace"]);
const NAMED = /^((-webkit-|-moz-)?keyframes|counter-style|font-feature-values|page)$/;
const DASHED = new Set(["property", "font-palette-values", "position-try", "color-profile", "function"]);
const ALTERNATIVES = new Set([":is", ":where", ":any", ":-webkit-any", ":-moz-any"]);
const MAX_QUOTED = 120;
const IMPORT_ADVICE =
  "Add the stylesheet and its files, such as fonts, to the section, and import it in the section's code.";

/** The rules around a rule. */
interface Context {
  /** Inside a style rule, which `&` refers to. Its own selectors have been checked. */
  readonly isNested: boolean;
  /** Inside an `@scope` with a root: no selector matches anything outside the root. */
  readonly inScope: boolean;
  /** Inside a `@layer`: names of inner layers are relative to it. */
  readonly inLayer: boolean;
}

type Locate = (node: ChildNode) => string | undefined;

type Report = (node: ChildNode, message: string, advice?: string) => void;

// The fields that mini-css-extract-plugin adds to webpack's modules.
interface StyleModule {
  readonly content: Buffer | string;
  readonly sourceMap?: Buffer | string;
  /** The file of the stylesheet. */
  nameForCondition(): string;
}

/**
 * Finds the rules in a section's stylesheets that could affect anything outside of the section, and the URLs that the policy
 * blocks.
 */
export async function findStyleProblems(
  { folder, config: { name }, written }: Pick<BuildContext, "folder" | "config" | "written">,
  compilation: Compilation,
): Promise<Problem[]> {
  if (written) return findInFiles(folder, name, path.join(written.folder, "client"));
  return [...compilation.modules]
    .filter((module) => module.type === "css/mini-extract")
    .flatMap((module) => {
      const { content } = module as unknown as StyleModule;
      return problemsIn(name, String(content), locatorOf(folder, module as unknown as StyleModule));
    });
}

async function findInFiles(folder: string, name: string, styles: string): Promise<Problem[]> {
  // A build command that runs again removes them.
  const found = await readdir(styles, { recursive: true }).catch(() => []);
  const files = found.filter((file) => file.endsWith(".css"));
  const problems = files.map(async (file) => {
    const source = path.join(styles, file);
    const locate: Locate = ({ source: { start } = {} }) =>
      start && formatPosition(folder, source, start.line, start.column);
    return problemsIn(name, await readFile(source, "utf8").catch(() => ""), locate);
  });
  return (await Promise.all(problems)).flat();
}

/** Returns what locates the nodes of a stylesheet in the sources. */
function locatorOf(folder: string, module: StyleModule): Locate {
  const { sourceMap } = module;
  const map = sourceMap ? new SourceMap(JSON.parse(String(sourceMap)) as SourceMap["payload"]) : undefined;
  return (node) => {
    // css-loader moves each `@import` of another origin into a module without a source map.
    const url = node.type === "atrule" && !map ? importedUrl(node) : undefined;
    return url === undefined ? positionOf(folder, map, node) : locateUrl(folder, module.nameForCondition(), url);
  };
}

function problemsIn(name: string, text: string, locate: Locate): Problem[] {
  const problems: Problem[] = [];
  const root = parse(text);
  checkRules(root, `${name}_`, { isNested: false, inScope: false, inLayer: false }, (node, message, advice) => {
    problems.push(problemOf("COL124", message, locate(node), advice));
  });
  root.walkDecls((declaration) => {
    for (const { url } of urlsIn(declaration.value)) {
      const blocked = blockedStyleUrl(declaration.prop, url);
      if (!blocked) continue;
      const message = `the section contains ${blocked.message}`;
      problems.push(problemOf("COL125", message, locate(declaration), undefined, blocked.permission));
    }
  });
  return problems;
}

function positionOf(folder: string, map: SourceMap | undefined, { source }: Node): string | undefined {
  if (!map || !source?.start) return undefined;
  const mapping = map.findEntry(source.start.line - 1, source.start.column - 1);
  if (!("originalSource" in mapping)) return undefined;
  const file = path.resolve(folder, mapping.originalSource.replace(/^webpack:\/\/[^/]*\//, ""));
  return formatPosition(folder, file, mapping.originalLine + 1, mapping.originalColumn + 1);
}

function checkRules(container: Container | Document, prefix: string, context: Context, report: Report): void {
  container.each((node) => {
    if (node.type === "rule") {
      if (!context.inScope) checkSelectors(node, node.selector, prefix, context, report);
      checkRules(node, prefix, { ...context, isNested: true }, report);
    } else if (node.type === "atrule") checkAtRule(node, prefix, context, report);
  });
}

function checkAtRule(rule: AtRule, prefix: string, context: Context, report: Report): void {
  const name = rule.name.toLowerCase();
  if (GROUPS.has(name)) checkRules(rule, prefix, context, report);
  else if (name === "scope") checkScope(rule, prefix, context, report);
  else if (name === "layer") {
    if (!context.inLayer) checkNames(rule, prefix, report);
    checkRules(rule, prefix, { ...context, inLayer: true }, report);
  } else if (name === "font-face") {
    rule.walkDecls("font-family", (declaration) => {
      checkName(declaration, "font-face", declaration.value, prefix, report);
    });
  } else if (NAMED.test(name)) checkNames(rule, prefix, report);
  else if (DASHED.has(name)) checkNames(rule, `--${prefix}`, report);
  else if (name === "import") report(rule, `@import ${rule.params} is not allowed`, IMPORT_ADVICE);
  else if (!IGNORED.has(name)) report(rule, `@${rule.name} is not allowed in a section's stylesheet`);
}

function checkScope(rule: AtRule, prefix: string, context: Context, report: Report): void {
  // Without a root, the scope is the whole document, even inside a style rule.
  const [, root] = /^\(([^]*?)\)\s*(?:to\b|$)/.exec(rule.params.trim()) ?? [];
  if (root !== undefined && !context.inScope)
    checkSelectors(rule, root, prefix, { ...context, isRelative: false }, report);
  checkRules(rule, prefix, { ...context, isNested: false, inScope: root !== undefined }, report);
}

function checkNames(rule: AtRule, prefix: string, report: Report): void {
  // A `@page` without a name styles every page.
  if (rule.params.trim() === "" && rule.name !== "page") return;
  for (const name of rule.params.split(",")) checkName(rule, rule.name, name, prefix, report);
}

function checkName(node: ChildNode, rule: string, text: string, prefix: string, report: Report): void {
  const [, name = ""] = /^["']?([^\s"'(:]*)/.exec(text.trim()) ?? [];
  if (name.startsWith(prefix)) return;
  const subject = name === "" ? `@${rule}` : `@${rule} ${name}`;
  report(node, `${subject} must have a name that starts with ${prefix}`);
}

/** `isRelative` says whether selectors without `&` are relative to the rule around them. */
function checkSelectors(
  rule: Rule | AtRule,
  text: string,
  prefix: string,
  { isNested, isRelative = isNested }: Context & { readonly isRelative?: boolean },
  report: Report,
): void {
  for (const selector of selectorsOf(text)) {
    const { isLimited, hasParent } = contentsOf(selector, prefix, isNested);
    if (isLimited || (isRelative && !hasParent)) continue;
    const quoted = String(selector).trim().replaceAll(/\s+/g, " ").slice(0, MAX_QUOTED);
    report(rule, `the selector ${quoted} has no class of the section's CSS modules outside :not() and :has()`);
  }
}

function selectorsOf(text: string): readonly (Selector | string)[] {
  try {
    const root: Root = selectorParser().astSync(text);
    return root.nodes;
  } catch {
    return [text];
  }
}

/** Whether a class of the section, or `&` for a checked rule, limits what a selector matches, and whether it contains `&`. */
function contentsOf(
  selector: Selector | string,
  prefix: string,
  isNested: boolean,
): { readonly isLimited: boolean; readonly hasParent: boolean } {
  let [isLimited, hasParent] = [false, false];
  for (const node of typeof selector === "string" ? [] : selector.nodes) {
    if (node.type === "class") isLimited ||= node.value.startsWith(prefix);
    if (node.type === "nesting") {
      hasParent = true;
      isLimited ||= isNested;
    }
    if (node.type !== "pseudo" || node.nodes.length === 0) continue;
    const branches = node.nodes.map((branch) => contentsOf(branch, prefix, isNested));
    hasParent ||= branches.some((branch) => branch.hasParent);
    if (ALTERNATIVES.has(node.value.toLowerCase())) isLimited ||= branches.every((branch) => branch.isLimited);
  }
  return { isLimited, hasParent };
}
