// The rule of the gateway for the HTML of an extension: its elements change nothing of the document around it. The cases in
// `tests/tables/extension-html.json` define it.
import { Tokenizer, TokenizerMode, type Token, type TokenHandler } from "parse5";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Elements without an end tag. */
const VOID = words("area br col embed hr img input link param source track wbr");

/** Elements that change the document, or how the rest of it is parsed. */
const FORBIDDEN = words("base body frame frameset head html meta noembed noframes plaintext script title xmp");

/** Elements whose content is text. With scripting, this includes `noscript`. */
const TEXT = words("iframe noscript style textarea");

/** Elements whose start tag ends an `<svg>` or `<math>` around it. */
const NOT_FOREIGN = words(
  "b big blockquote br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 hr i img li listing menu nobr ol p pre ruby s " +
    "small span strike strong sub sup table tt u ul var",
);

/**
 * Elements whose start tag ends one around them: the elements, those that they end, and those that keep them from it, of which the
 * nearest decides. `#page` is what is around the extension, `*` is each element.
 */
const ENDS = (
  [
    ["button", "button", ""],
    ["iframe input keygen noscript select style textarea", "select", ""],
    ["h1 h2 h3 h4 h5 h6", "h1 h2 h3 h4 h5 h6", ""],
    ["table", "table", "caption td th"],
    ["li", "li #page", "menu ol ul"],
    ["dd dt", "dd dt #page", "dl"],
    ["caption colgroup tbody tfoot thead", "*", "table"],
    ["col", "*", "colgroup"],
    ["tr", "*", "table tbody tfoot thead"],
    ["td th", "*", "tr"],
    ["rb rp rt rtc", "*", "rtc ruby"],
  ] as const
).map(([names, ended, keepers]) => ({ names: words(names), ended: words(ended), keepers: words(keepers) }));

/** The most elements within each other. Browsers do not nest deeper. */
const MAX_DEPTH = 512;

/** The end tag after the HTML, which has no such element. */
const END = "end-of-extension";

/** What is wrong with the HTML of an extension: the element that breaks a rule, and what is expected. Null if nothing is. */
export function extensionHtmlProblem(html: string): string | null {
  return problemWithin([], html);
}

/** What is wrong with the HTML in these elements, from the outermost. */
function problemWithin(around: readonly string[], html: string): string | null {
  const check = new HtmlCheck(around);
  // A comment or a tag that is not closed has the last end tag in it.
  check.tokens.write(`${html}</${END}>`, true);
  return check.result();
}

class HtmlCheck implements TokenHandler {
  readonly tokens = new Tokenizer({}, this);
  readonly #around: readonly string[];
  readonly #open: string[];
  #text = "";
  #problem: string | undefined;
  #isComplete = false;

  constructor(around: readonly string[]) {
    this.#around = around;
    this.#open = [...around];
  }

  result(): string | null {
    if (this.#problem !== undefined) return this.#problem;
    if (this.#isComplete) return null;
    const last = this.#hasOpen() ? this.#open.at(-1) : undefined;
    return last === undefined ? "ends in a comment or a tag; expected its end" : unclosed(last);
  }

  onStartTag({ tagName, attrs, selfClosing }: Token.TagToken): void {
    this.#fail(this.#isComplete ? notOpened(END) : null);
    const isForeign = this.#isForeign();
    this.#fail(this.#startProblem(tagName, attrs, isForeign));
    this.tokens.state = stateIn(tagName);
    this.#text = "";
    if (isForeign ? !selfClosing : !VOID.has(tagName)) this.#open.push(tagName);
  }

  onEndTag({ tagName }: Token.TagToken): void {
    if (this.#isComplete) this.#fail(notOpened(END));
    const last = this.#hasOpen() ? this.#open.pop() : undefined;
    if (last === tagName && tagName !== END) {
      const problem = tagName === "noscript" ? problemWithin(this.#open, this.#text) : null;
      // Without scripting, its text is HTML.
      this.#fail(problem && `has in \`<noscript>\` what ${problem}`);
    } else if (last !== undefined)
      this.#fail(tagName === END ? unclosed(last) : `has \`</${tagName}>\`; expected \`</${last}>\` before it`);
    else if (tagName === END) this.#isComplete = true;
    else this.#fail(notOpened(tagName));
  }

  onCharacter({ chars }: Token.CharacterToken): void {
    this.#fail(this.#isComplete ? notOpened(END) : null);
    this.#text += chars;
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token);
  }

  onNullCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token);
  }

  onComment(): void {
    this.#fail(this.#isComplete ? notOpened(END) : null);
  }

  onDoctype(): void {
    this.onComment();
  }

  onEof(): void {
    // The end tag was the last token.
  }

  onParseError({ code }: { readonly code: string }): void {
    if (code === "cdata-in-html-content") this.#fail("has `<![CDATA[`; expected escaped text");
  }

  #fail(problem: string | null): void {
    this.#problem ??= problem ?? undefined;
  }

  #startProblem(name: string, attrs: Token.TagToken["attrs"], isForeign: boolean): string | null {
    const open = this.#open;
    const has = (attr: string, value: string): boolean => attrs.find((each) => each.name === attr)?.value === value;
    // React writes it for images.
    const isPreload = (): boolean => has("rel", "preload") && has("as", "image");
    const expect = (what: string): string => `has \`<${name}>\`; expected ${what}`;
    if (FORBIDDEN.has(name) && !(isForeign && name === "title")) return expect("only elements of its own content");
    if (name === "link" && !isPreload()) return expect('no link but `<link rel="preload" as="image">`');
    if (isForeign && (NOT_FOREIGN.has(name) || TEXT.has(name))) return expect("no such element in `<svg>` or `<math>`");
    if (open.length === MAX_DEPTH)
      return `has \`<${name}>\` within ${String(MAX_DEPTH)} elements; expected at most ${String(MAX_DEPTH - 1)}`;
    return endProblem(name, open);
  }

  #hasOpen(): boolean {
    return this.#open.length > this.#around.length;
  }

  /** Whether the next element is in an `<svg>` or `<math>`, and not in HTML within it. */
  #isForeign(): boolean {
    const last = this.#open.findLast((name) => FOREIGN.has(name) || FOREIGN_HTML.has(name));
    return last !== undefined && FOREIGN.has(last);
  }
}

const FOREIGN = words("svg math");
const FOREIGN_HTML = words("foreignobject desc title");

/** What is wrong if the start tag of an element ends one around it. */
function endProblem(name: string, open: readonly string[]): string | null {
  const { ended, keepers } = ENDS.find(({ names }) => names.has(name)) ?? {};
  if (!ended || !keepers) return null;
  const nearest = ["#page", ...open].findLast((each) => keepers.has(each) || ended.has("*") || ended.has(each));
  if (nearest === undefined || keepers.has(nearest)) return null;
  const place = nearest === "#page" ? "" : ` in \`<${nearest}>\``;
  const list = [...keepers].join(" ");
  const expected = list === "" ? "outside" : `${ended.has("*") ? "directly in" : "within"} one of: ${list}`;
  return `has \`<${name}>\`${place}; expected it ${expected}`;
}

function stateIn(name: string): (typeof TokenizerMode)[keyof typeof TokenizerMode] {
  if (name === "textarea") return TokenizerMode.RCDATA;
  return TEXT.has(name) ? TokenizerMode.RAWTEXT : TokenizerMode.DATA;
}

function unclosed(name: string): string {
  return `has \`<${name}>\`; expected \`</${name}>\` after it`;
}

function notOpened(name: string): string {
  return `has \`</${name}>\`; expected \`<${name}>\` before it`;
}
