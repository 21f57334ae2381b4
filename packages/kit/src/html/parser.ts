// The parser: a chunk of its own, which browsers load for a page that they render themselves.
import { fromParse5 } from "hast-util-from-parse5";
import { defaultSchema, sanitize, type Schema } from "hast-util-sanitize";
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import { defaultTreeAdapter, html as parse5, parseFragment, type DefaultTreeAdapterTypes } from "parse5";
import { find, html } from "property-information";

import type { HtmlAllow, HtmlContent, HtmlElement } from "./content.js";

/** Far below the depth at which the gateway does not read data. Each element is one level of JSON. */
const MAX_DEPTH = 64;

const TABLE_PARTS = ["caption", "col", "colgroup"];
const ELEMENTS =
  "abbr address article aside bdi bdo center cite dfn figcaption figure footer header hgroup mark nav small time u wbr";
// Their content is no text of the page, or would not stay within the elements around them without them.
const DROPPED =
  "applet audio button canvas datalist iframe marquee math meter noembed noframes noscript object progress script select " +
  "style svg template textarea title video";
const URL_ATTRIBUTES = ["action", "background", "data", "formAction", "ping", "poster", "xLinkHref"];

const NEVER = {
  elements: /^(animate.*|applet|base|body|embed|frame|frameset|head|html|link|meta|object|script|set|style|template)$/i,
  // Event handlers, what contains code, and what React takes for itself.
  attributes: /^(on.*|style|srcDoc|children|key|ref)$/i,
  protocols: /^(javascript|vbscript)$/i,
};

const propertyOf = (attribute: string): string => find(html, attribute).property;

/** @throws TypeError if a name is never allowed. */
function checkNames(kind: keyof typeof NEVER, names: readonly string[]): readonly string[] {
  const wrong = names.find((name) => NEVER[kind].test(name));
  if (wrong !== undefined) throw new TypeError(`parseHtml: allow.${kind} has "${wrong}", which is never allowed`);
  return names;
}

type Lists = Readonly<Record<string, readonly string[]>>;

/** Joins the lists of the same name. */
function merge(...all: readonly Lists[]): Record<string, string[]> {
  const merged: Record<string, string[]> = {};
  for (const [name, values] of all.flatMap((lists) => Object.entries(lists)))
    merged[name] = [...(merged[name] ?? []), ...values];
  return merged;
}

/** The attributes of the schema of GitHub, without those that may have only the values of its task lists and footnotes. */
const ATTRIBUTES = Object.fromEntries(
  Object.entries(defaultSchema.attributes ?? {}).map(([element, names]) => [
    element,
    names.filter((name) => typeof name === "string"),
  ]),
);

const DEFAULTS = {
  ...defaultSchema,
  tagNames: [
    ...(defaultSchema.tagNames ?? []).filter((name) => name !== "input"),
    ...ELEMENTS.split(" "),
    ...TABLE_PARTS,
  ],
  required: {},
  strip: DROPPED.split(" "),
  ancestors: { ...defaultSchema.ancestors, ...Object.fromEntries(TABLE_PARTS.map((name) => [name, ["table"]])) },
  attributes: merge(ATTRIBUTES, { img: ["srcSet", "sizes", "loading", "decoding"], source: ["sizes", "type"] }),
  protocols: merge(
    defaultSchema.protocols as Lists,
    Object.fromEntries(URL_ATTRIBUTES.map((name) => [name, ["http", "https"]])),
  ),
  // All that are IDs.
  clobber: [...(defaultSchema.clobber ?? []), "headers", "htmlFor"],
};

function schemaOf({ elements = [], attributes = {}, protocols = {} }: HtmlAllow): Schema {
  const more: Lists[] = Object.entries(attributes).map(([element, names]) => ({
    [element]: checkNames("attributes", names.map(propertyOf)),
  }));
  const schemes: Lists[] = Object.entries(protocols).map(([attribute, names]) => ({
    [propertyOf(attribute)]: checkNames("protocols", names),
  }));
  return {
    ...DEFAULTS,
    tagNames: [...DEFAULTS.tagNames, ...checkNames("elements", elements)],
    attributes: merge(DEFAULTS.attributes, ...more),
    protocols: merge(DEFAULTS.protocols, ...schemes),
  };
}

type Parent = DefaultTreeAdapterTypes.ParentNode;

/** Leaves out what is nested too deeply, which would overflow the stack of what reads the tree. */
function limitDepth(root: Parent): void {
  let level = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= MAX_DEPTH) for (const node of level) node.childNodes = [];
    level = level.flatMap(({ childNodes }) => childNodes.filter((node) => "childNodes" in node));
    for (const node of level) if ("content" in node) node.content.childNodes = [];
  }
}

type Create = () => HtmlElement;

interface Props {
  readonly [name: string]: unknown;
  readonly children?: string | Create | readonly (string | Create)[];
}

/** Returns a function, because an element of the content is an array, as several children are. */
function create(name: string, { children = [], ...props }: Props): Create {
  const { href } = props;
  const fragment = typeof href === "string" && /^#./.test(href) && { href: `#user-content-${href.slice(1)}` };
  const given = { ...props, ...fragment } as NonNullable<HtmlElement[1]>;
  const hasProps = Object.keys(given).length > 0;
  const content = [children].flat().map((child) => (typeof child === "string" ? child : child()));
  return () => [name, hasProps ? given : null, ...content];
}

/** Parses HTML as the content of an element, and returns what is safe of it. */
export function parse(source: string, allow: HtmlAllow = {}): HtmlContent {
  // Without a context, parts of tables would be kept outside of tables.
  const context = defaultTreeAdapter.createElement("div", parse5.NS.HTML, []);
  const parsed = parseFragment(context, source, { scriptingEnabled: false });
  limitDepth(parsed);
  const tree = sanitize(fromParse5(parsed), schemaOf(allow));
  const root = toJsxRuntime(tree, {
    Fragment: "",
    jsx: create as never,
    jsxs: create as never,
    // A style attribute, which the policy blocks.
    tableCellAlignToStyle: false,
  }) as unknown as Create;
  const [, , ...content] = root();
  return content;
}
