import axe, { type AxeResults, type NodeResult } from "axe-core";
import { Window } from "happy-dom";
import vm from "node:vm";

import { HEAD_ELEMENT_HELP } from "./codes.js";
import { extensionHtmlProblem } from "./extensionHtml.js";
import type { RenderedView } from "./report.js";
import { problemOf, type Problem } from "./problem.js";
import { PLACEHOLDER_SITE } from "./sandbox/site.js";

// These rules need layout, stylesheets or the data of a video, which only a browser has.
const BROWSER_RULES = [
  "color-contrast",
  "link-in-text-block",
  "no-autoplay-audio",
  "scrollable-region-focusable",
  "target-size",
];
// What is around an extension decides these.
const PAGE_RULES = ["heading-order", "page-has-heading-one"];
const SEVERE = new Set(["critical", "serious"]);
const MAX_ELEMENT = 120;
const TRANSPARENT = /(^|;)\s*opacity:\s*0(\.0*)?\s*(;|$)/;

/** The links and the accessibility faults of rendered pages and extensions. */
export interface PageContents {
  /** The paths of this site that links lead to, with their queries, each with what has the first of its links. */
  readonly links: ReadonlyMap<string, RenderedView>;
  readonly faults: readonly Problem[];
}

type Axe = Pick<typeof axe, "run">;

// axe-core finds its window when it is evaluated.
const evaluateAxe = vm.compileFunction(axe.source, ["window", "module"]) as (window: Window) => void;

/** Parses rendered pages and extensions. Finds their links and the accessibility faults that need no browser. */
export async function inspectPages(pages: readonly RenderedView[]): Promise<PageContents> {
  const links = new Map<string, RenderedView>();
  const faults = new Map<string, Problem>();
  // The window runs no scripts and loads nothing.
  const window = new Window({ url: PLACEHOLDER_SITE.origin });
  const { document } = window;
  evaluateAxe(window);
  const { axe: inWindow } = window as unknown as { readonly axe: Axe };
  document.documentElement.lang = "en";
  document.title = PLACEHOLDER_SITE.brand;
  for (const page of pages) {
    const { isExtension = false, source } = page;
    const problem = isExtension ? extensionHtmlProblem(page.html) : null;
    if (problem !== null) {
      faults.set(`${source} html`, problemOf("COL172", `${page.view} ${problem}`, page.location));
      continue;
    }
    const html = isExtension ? `<main>${page.html}</main>` : page.html;
    const parsed = new window.DOMParser().parseFromString(html, "text/html");
    const inHead = headElement(parsed);
    if (inHead !== undefined) faults.set(`${source} head`, headElementProblem(page, inHead));
    document.body.replaceChildren(...parsed.body.childNodes);
    for (const anchor of document.querySelectorAll("a[href]")) {
      const href = anchor.getAttribute("href") ?? "";
      const base = PLACEHOLDER_SITE.origin + page.path;
      // The creation of the element reports an invalid URL.
      if (!URL.canParse(href, base)) continue;
      const { origin, pathname, search } = new URL(href, base);
      const link = pathname + search;
      if (origin === PLACEHOLDER_SITE.origin && !links.has(link)) links.set(link, page);
    }
    for (const fault of [
      tooManyHeadings(page, document),
      unpostedFile(page, document),
      fieldInUrl(page, document),
      invisible(page, document),
    ])
      if (fault) faults.set(`${source} ${fault.code}`, fault);
    const { violations } = await inWindow.run(document as unknown as Document, {
      resultTypes: ["violations"],
      preload: false,
      // The browser loads none, because the policy blocks them.
      iframes: false,
      rules: Object.fromEntries(
        [...BROWSER_RULES, ...(isExtension ? PAGE_RULES : [])].map((rule) => [rule, { enabled: false }]),
      ),
    });
    for (const violation of violations) {
      const key = `${source} ${violation.id}`;
      if (!faults.has(key)) faults.set(key, faultOf(page, violation));
    }
  }
  await window.happyDOM.close();
  return { links, faults: [...faults.values()] };
}

/** The first element that changes the head of the document around a page. The title of a picture does not. */
function headElement(document: Window["document"]): string | undefined {
  const found = document.querySelectorAll('title, meta:not([itemprop]), base, link[rel="canonical" i]');
  return [...found].find((element) => element.closest("svg") === null)?.localName;
}

function headElementProblem({ view, location }: RenderedView, tag: string): Problem {
  const message = `${view} contains a <${tag}> element, which changes the document's head`;
  return problemOf("COL115", message, location, HEAD_ELEMENT_HELP);
}

function tooManyHeadings(
  { view, isExtension = false, location }: RenderedView,
  document: Window["document"],
): Problem | undefined {
  const count = document.querySelectorAll("h1:not([hidden])").length;
  if (count <= (isExtension ? 0 : 1)) return undefined;
  const message = isExtension
    ? `${view} has an h1 element; expected h2 to h6, because the page has the h1`
    : `${view} has ${String(count)} h1 elements; expected one`;
  return problemOf("COL152", message, location);
}

/** Reports the first file input whose form posts only the file's name. */
function unpostedFile({ view, location }: RenderedView, document: Window["document"]): Problem | undefined {
  for (const input of document.querySelectorAll('form[method="post" i] input[type="file" i][name]')) {
    const isMultipart = input.closest("form")?.matches('[enctype="multipart/form-data" i]');
    if (isMultipart) continue;
    const name = input.getAttribute("name") ?? "";
    const message = `${view} posts the file input "${name}" in a form without encType="multipart/form-data"`;
    return problemOf("COL155", message, location);
  }
  return undefined;
}

/** Reports a field that browsers put into the URL if no script handles its form, first of all a password. */
function fieldInUrl({ view, location }: RenderedView, document: Window["document"]): Problem | undefined {
  const forms = [...document.querySelectorAll('form:not([action]), form[action="#"]')];
  const fields = forms
    .filter((form) => !/^(post|dialog)$/i.test(form.getAttribute("method") ?? ""))
    .flatMap((form) => [...form.querySelectorAll("input[name], select[name], textarea[name]")]);
  const password = fields.find((field) => field.matches('[type="password" i]'));
  const field = password ?? fields[0];
  if (field === undefined) return undefined;
  const kind = password ? "password" : "field";
  const message = `${view} has a form without action, which puts the ${kind} "${field.getAttribute("name") ?? ""}" into the URL`;
  const problem = problemOf("COL158", `${message} where JavaScript does not run`, location);
  return password ? problem : { ...problem, severity: "warning" };
}

/** Reports the first element with a text that a style of the HTML makes invisible. Animations begin so. */
function invisible({ view, location }: RenderedView, document: Window["document"]): Problem | undefined {
  const styled = [...document.querySelectorAll('[style*="opacity"]')];
  const found = styled.find((element) => TRANSPARENT.test(element.getAttribute("style") ?? "") && hasText(element));
  if (!found) return undefined;
  const message = `${view} contains a <${found.localName}> that is invisible in the HTML: its style has opacity: 0`;
  return problemOf("COL159", message, location);
}

function hasText(element: Pick<HTMLElement, "textContent" | "closest">): boolean {
  return element.textContent.trim() !== "" && element.closest('[aria-hidden="true"]') === null;
}

function faultOf(
  { view, location }: RenderedView,
  { id, impact, help, helpUrl, nodes }: AxeResults["violations"][number],
): Problem {
  const code = SEVERE.has(impact ?? "") ? "COL150" : "COL151";
  const [first] = nodes;
  const others = nodes.length > 1 ? ` and ${String(nodes.length - 1)} more` : "";
  const elements = `${first ? shortened(first) : ""}${others}`;
  return problemOf(code, `${view} breaks the axe rule ${id}: ${elements}`, location, `${help}: ${helpUrl}`);
}

function shortened({ html }: NodeResult): string {
  return html.length > MAX_ELEMENT ? `${html.slice(0, MAX_ELEMENT)}…` : html;
}
