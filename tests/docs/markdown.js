import Slugger from "github-slugger";

/** What precedes a command in the blocks of a language. Other lines of such a block are output. */
const PROMPTS = new Map([
  ["sh", /^ */],
  ["bash", /^ */],
  ["console", /^ *\$ /],
]);

/**
 * A part of a page, with its line number.
 *
 * @typedef {{ line: number, text: string }} Part
 */

/**
 * Splits a page of Markdown into the links, the code spans, the fragments of headings, and the lines of shell commands. Fenced and indented blocks are shell
 * commands if they say so or begin like one. Other blocks, such as output and configuration, are examples.
 *
 * @param {string} markdown
 */
export function parsePage(markdown) {
  /** @type {Part[]} */
  const commands = [];
  const prose = [];
  /** @type {{ mark: string, prompt: RegExp | undefined } | undefined} */
  let block;
  for (const [index, text] of markdown.split("\n").entries()) {
    const line = index + 1;
    const [, mark, language] = /^ *(```+)\s*([\w-]*)/.exec(text) ?? [];
    if (mark !== undefined && (block === undefined || mark === block.mark)) {
      block = block === undefined ? { mark, prompt: PROMPTS.get(language) } : undefined;
      prose.push("");
    } else if (block !== undefined) {
      const [prompt] = block.prompt?.exec(text) ?? [];
      if (prompt !== undefined) commands.push({ line, text: text.slice(prompt.length) });
      prose.push("");
    } else if (/^ {4}(?:\(cd |[A-Z_]+=|(?:make|node|npm|npx|cargo) )/.test(text)) {
      commands.push({ line, text });
      prose.push("");
    } else prose.push(text);
  }
  const text = prose.join("\n");
  const links = find(text, /\]\(<?([^\s()<>]+)>?\)/g);
  const spans = find(text, /(?<!`)`([^`]+)`(?!`)/g);
  return { links, spans, commands: joinContinuedLines(commands), fragments: fragmentsOf(text) };
}

/**
 * Finds the first group of each match of a pattern, with the line number of the match. A span can be wrapped.
 *
 * @param {string} text @param {RegExp} pattern @returns {Part[]}
 */
function find(text, pattern) {
  let [line, end] = [1, 0];
  return [...text.matchAll(pattern)].map(({ index, 1: found = "" }) => {
    line += text.slice(end, index).split("\n").length - 1;
    end = index;
    return { line, text: found.replace(/\s+/g, " ").trim() };
  });
}

/**
 * Lists the fragments of headings, as GitHub and the site of the documentation name them.
 *
 * @param {string} text
 */
function fragmentsOf(text) {
  const slugger = new Slugger();
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return new Set(headings.map((heading) => slugger.slug(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"))));
}

/**
 * Joins lines that end with a backslash with the next one.
 *
 * @param {readonly Part[]} lines
 */
function joinContinuedLines(lines) {
  /** @type {Part[]} */
  const joined = [];
  for (const { line, text } of lines) {
    const last = joined.at(-1);
    if (last?.text.endsWith("\\")) last.text = last.text.slice(0, -1) + text.trim();
    else joined.push({ line, text });
  }
  return joined;
}
