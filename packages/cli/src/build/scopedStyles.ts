import type { AtRule, Plugin, Root, Rule } from "postcss";
import selectorParser from "postcss-selector-parser";
import valueParser from "postcss-value-parser";

import { scopeClass } from "@colonnade/kit/contract";

/** At-rules that declare a document-wide name with leading dashes. */
const DASHED = /^(property|font-palette-values|position-try|color-profile|function)$/i;
const KEYFRAMES = /^(-\w+-)?keyframes$/i;
/** Properties whose values name animations or font families. */
const NAMING_PROPERTY = /^((-\w+-)?animation(-name)?|font(-family)?|--.*)$/i;

/** A rule or at-rule. */
type AnyRule = AtRule | Rule;

/**
 * Returns a PostCSS plugin that limits a stylesheet to its section: the document-wide names that it declares get the section's
 * name, and in a plain stylesheet every selector matches only the section's content. For CSS modules, css-loader limits the
 * selectors and renames `@keyframes`.
 */
export function scopedStyles(section: string, { isModule }: { readonly isModule: boolean }): Plugin {
  return {
    postcssPlugin: "colonnade-scoped-styles",
    // Other plugins transform the stylesheet in visitors, which run before.
    OnceExit(root) {
      const rename = (name: string): string => prefixed(section, name);
      renameLayers(root, rename);
      renameDeclared(root, isModule, rename);
      if (!isModule) limitSelectors(root, `:where(.${scopeClass(section)})`);
    },
  };
}

function prefixed(section: string, name: string): string {
  const [, dashes = "", rest = ""] = /^(--)?(.*)$/s.exec(name) ?? [];
  return rest.startsWith(`${section}_`) ? name : `${dashes}${section}_${rest}`;
}

function isInside(node: AnyRule, isMatch: (ancestor: AnyRule) => boolean): boolean {
  const parent = node.parent as AnyRule | Root | undefined;
  return parent !== undefined && parent.type !== "root" && (isMatch(parent) || isInside(parent, isMatch));
}

const isAtRule = (node: AnyRule, name: RegExp): boolean => node.type === "atrule" && name.test(node.name);

function renameLayers(root: Root, rename: (name: string) => string): void {
  root.walkAtRules(/^layer$/i, (rule) => {
    // Names inside a layer are relative to it.
    if (rule.params === "" || isInside(rule, (parent) => isAtRule(parent, /^layer$/i))) return;
    rule.params = rule.params
      .split(",")
      .map((name) => rename(name.trim()))
      .join(", ");
  });
  root.walkAtRules(/^import$/i, (rule) => {
    rule.params = rule.params.replace(/\blayer\(\s*([^\s)]+)/i, (_, name: string) => `layer(${rename(name)}`);
  });
}

/** Renames the names that the stylesheet declares, and their uses. Other names may be the shell's. */
function renameDeclared(root: Root, isModule: boolean, rename: (name: string) => string): void {
  const dashed = new Set<string>();
  const named = new Set<string>();
  root.walkAtRules((rule) => {
    const [dashedName] = /^--[^\s(]+/.exec(rule.params) ?? [];
    if (DASHED.test(rule.name) && dashedName !== undefined) dashed.add(dashedName);
    else if (KEYFRAMES.test(rule.name) && !isModule) named.add(unquoted(rule.params));
    else if (/^font-face$/i.test(rule.name))
      rule.walkDecls(/^font-family$/i, ({ value }) => {
        named.add(unquoted(value));
      });
  });
  if (dashed.size + named.size === 0) return;
  const withNewNames = (text: string, names: ReadonlySet<string>): string => {
    const value = valueParser(text);
    value.walk((node) => {
      const isDashed = dashed.has(node.value);
      if (isDashed || (node.type !== "function" && names.has(node.value))) node.value = rename(node.value);
    });
    return valueParser.stringify(value.nodes);
  };
  const none = new Set<string>();
  root.walkAtRules((rule) => {
    rule.params = withNewNames(rule.params, KEYFRAMES.test(rule.name) ? named : none);
  });
  root.walkDecls((declaration) => {
    const { prop, value } = declaration;
    if (dashed.has(prop)) declaration.prop = rename(prop);
    declaration.value = withNewNames(value, NAMING_PROPERTY.test(prop) ? named : none);
  });
}

function unquoted(name: string): string {
  return name.trim().replace(/^(["'])(.*)\1$/s, "$2");
}

function limitSelectors(root: Root, scope: string): void {
  const hasOwnScope = (parent: AnyRule): boolean => parent.type === "rule" || isAtRule(parent, /^scope$/i);
  root.walkAtRules(/^scope$/i, (rule) => {
    if (isInside(rule, hasOwnScope)) return;
    const [start, ...rest] = valueParser(rule.params).nodes;
    rule.params =
      start?.type === "function" && start.value === ""
        ? `(${limited(valueParser.stringify(start.nodes), scope)})${valueParser.stringify(rest)}`
        : `(${scope}) ${rule.params}`;
  });
  root.walkRules((rule) => {
    const isFrame = (parent: AnyRule): boolean =>
      isAtRule(parent, KEYFRAMES) || isAtRule(parent, /^font-feature-values$/i);
    if (!isInside(rule, (parent) => hasOwnScope(parent) || isFrame(parent)))
      rule.selector = limited(rule.selector, scope);
  });
}

/**
 * Limits a list of selectors. At the start of a selector, the document's root means the root of the section, also several of them,
 * such as `body > #root`.
 */
function limited(selectors: string, scope: string): string {
  return selectorParser((list) => {
    list.each((selector) => {
      mergeRoots(selector);
      const end = selector.nodes.findIndex(({ type }) => type === "combinator");
      const compound = selector.nodes.slice(0, end < 0 ? undefined : end);
      const [root, ...others] = compound.filter(isRoot);
      // As in the app, rules for #root are stronger than those for `body`.
      const isStrong = [root, ...others].some((each) => each?.type === "id");
      const value = isStrong ? scope.replace("where", "is") : scope;
      if (root) root.replaceWith(selectorParser.pseudo({ value }));
      else selector.prepend(selectorParser.combinator({ value: " " })).prepend(selectorParser.pseudo({ value: scope }));
      for (const other of others) other.remove();
      // The element's type comes first, also that of a root within another, as in `body > div#root`.
      const type = compound.find((node) => /^(tag|universal)$/.test(node.type) && !isRoot(node));
      if (root && type) selector.prepend(type.remove());
    });
  }).processSync(selectors);
}

/** Removes the combinators between the roots at the start of a selector, which are one element. */
function mergeRoots(selector: selectorParser.Selector): void {
  const [first, ...others] = selector.split(({ type }) => type === "combinator");
  let before = first;
  for (const compound of others) {
    if (!(before.some(isRoot) && compound.some(isRoot))) return;
    before.at(-1)?.remove();
    before = compound;
  }
}

function isRoot({ type, value }: selectorParser.Node): boolean {
  if (type === "tag") return /^(html|body)$/i.test(value);
  // An app is usually rendered into an element with this ID.
  return type === "id" ? value === "root" : type === "pseudo" && /^:(root|host)$/i.test(value);
}
