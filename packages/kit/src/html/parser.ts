// The parser: a chunk of its own, which browsers load for a page that they render themselves.
import { fromParse5 } from "hast-util-from-parse5";
import { defaultSchema, sanitize, type Schema } from "hast-util-sanitize";
import { defaultTreeAdapter, html as parse5, parseFragment, type DefaultTreeAdapterTypes } from "parse5";
import { find, hastToReact, html, svg } from "property-information";

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
  protocols: /^(data|javascript|vbscript)$/i,
};

const NAME = {
  elements: /^[a-z][^\s/<>]*$/i,
  attributes: /^[^\s"'/<=>]+$/,
  protocols: /^[a-z][a-z0-9+.-]*$/i,
};

/** Also in lower case, as the parser gives the names of HTML. Those of SVG keep theirs. */
const withLowerCase = (name: string): string[] => [name, name.toLowerCase()];

const propertiesOf = (attribute: string): string[] => withLowerCase(attribute).map((name) => find(html, name).property);

/**
 * Returns the names, in lower case too.
 *
 * @throws TypeError if a name is never allowed, or is none.
 */
function checkNames(kind: keyof typeof NEVER, names: readonly string[]): string[] {
  const all = names.flatMap(withLowerCase);
  for (const name of all) {
    const has = `parseHtml: allow.${kind} has "${name}"`;
    if (NEVER[kind].test(name)) throw new TypeError(`${has}, which is never allowed`);
    if (!NAME[kind].test(name)) throw new TypeError(`${has}, expected a name that matches ${String(NAME[kind])}`);
  }
  return all;
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
  const more: Lists[] = Object.entries(attributes).flatMap(([element, names]) => {
    const properties = checkNames("attributes", names.flatMap(propertiesOf));
    return withLowerCase(element).map((name) => ({ [name]: properties }));
  });
  const schemes: Lists[] = Object.entries(protocols).flatMap(([attribute, names]) => {
    const checked = checkNames("protocols", names);
    return propertiesOf(attribute).map((property) => ({ [property]: checked }));
  });
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

type Node = Extract<ReturnType<typeof sanitize>, { readonly type: "root" }>["children"][number];
type Properties = Extract<Node, { readonly type: "element" }>["properties"];

// White space between these is no text, and React warns of it.
const TABLES = ["table", "thead", "tbody", "tfoot", "tr"];

function propsOf(properties: Properties, schema: typeof html): HtmlElement[1] {
  const props = Object.entries(properties).flatMap(([name, value]) => {
    const { property, attribute, space, commaSeparated } = find(schema, name);
    if (value === null || value === undefined) return [];
    const text = Array.isArray(value) ? value.join(commaSeparated ? ", " : " ") : value;
    return [[space ? (hastToReact[property] ?? property) : attribute, text] as const];
  });
  return props.length > 0 ? Object.fromEntries(props) : null;
}

function contentOf(nodes: readonly Node[], schema = html): (string | HtmlElement)[] {
  return nodes.flatMap((node): (string | HtmlElement)[] => {
    if (node.type === "text") return [node.value];
    if (node.type !== "element") return [];
    const { tagName, properties, children } = node;
    const own = tagName === "svg" ? svg : schema;
    const content = contentOf(children, own);
    const isShown = (child: string | HtmlElement): boolean =>
      typeof child !== "string" || !TABLES.includes(tagName) || /\S/.test(child);
    return [[tagName, propsOf(properties, own), ...content.filter(isShown)]];
  });
}

/** Parses HTML as the content of an element, and returns what is safe of it. */
export function parse(source: string, allow: HtmlAllow = {}): HtmlContent {
  // Without a context, parts of tables would be kept outside of tables.
  const context = defaultTreeAdapter.createElement("div", parse5.NS.HTML, []);
  const parsed = parseFragment(context, source, { scriptingEnabled: false });
  limitDepth(parsed);
  const tree = sanitize(fromParse5(parsed), schemaOf(allow));
  return "children" in tree ? contentOf(tree.children as Node[]) : [];
}
