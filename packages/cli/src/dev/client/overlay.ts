// The dialog that shows the problems of the sections under development, over the page.
import type { DevelopmentProblem } from "../problem.js";

// The page's policy allows stylesheets that scripts construct.
const STYLES = `
  dialog { box-sizing: border-box; width: min(56rem, calc(100vw - 2rem)); max-height: calc(100vh - 4rem); margin: 2rem auto;
    padding: 1.25rem 1.5rem; border: 1px solid light-dark(#b3261e, #f2b8b5); border-radius: 8px;
    background: light-dark(#fff, #26262b); color: light-dark(#1b1b1f, #f2f2f4); font: 16px/1.5 system-ui, sans-serif;
    color-scheme: light dark; overflow: auto; }
  dialog::backdrop { background: rgb(0 0 0 / 45%); }
  .header { display: flex; gap: 1rem; align-items: center; justify-content: space-between; }
  h1 { margin: 0; font-size: 1.25rem; }
  h2 { margin: 1.25rem 0 0.25rem; font-size: 1rem; color: light-dark(#8c1d18, #f2b8b5); }
  p { margin: 0.25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
  pre { position: relative; margin: 0.5rem 0; padding: 0.75rem; border-radius: 4px; background: #1b1b1f; color: #f2f2f4;
    font: 14px/1.5 ui-monospace, monospace; overflow: auto; }
  button { min-width: 44px; min-height: 44px; padding: 0 1rem; font: inherit; }
`;

let host: HTMLElement | undefined;
let shown = "[]";

/**
 * Shows the problems in a dialog. Removes the dialog if there are no problems. A closed dialog opens again when the problems
 * change.
 */
export function showProblems(problems: readonly DevelopmentProblem[]): void {
  const text = JSON.stringify(problems);
  if (text === shown) return;
  shown = text;
  host?.remove();
  host = undefined;
  if (problems.length === 0) return;
  host = document.createElement("colonnade-development-problems");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLES);
  root.adoptedStyleSheets = [sheet];
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "title");
  dialog.append(header(dialog, problems.length), ...problems.map(article));
  root.append(dialog);
  document.body.append(host);
  // Moves the focus into the dialog, and closes it with Escape.
  dialog.showModal();
  for (const mark of dialog.querySelectorAll<HTMLElement>("pre > span")) scrollToMark(mark);
}

/** Scrolls a source to its mark, if the mark is not visible. */
function scrollToMark(mark: HTMLElement): void {
  const { parentElement: source, offsetLeft, offsetWidth } = mark;
  if (source && offsetLeft + offsetWidth > source.clientWidth) source.scrollLeft = offsetLeft - source.clientWidth / 2;
}

function header(dialog: HTMLDialogElement, count: number): HTMLElement {
  const element = document.createElement("div");
  element.className = "header";
  const title = textElement("h1", count === 1 ? "1 problem" : `${String(count)} problems`);
  title.id = "title";
  const close = textElement("button", "Close");
  close.addEventListener("click", () => {
    dialog.close();
  });
  element.append(title, close);
  return element;
}

function article({ kind, section, message, help, code, location, frame, diff }: DevelopmentProblem): HTMLElement {
  const element = document.createElement("article");
  const place = location === undefined ? section : `${section}, ${location}`;
  element.append(textElement("h2", `${kind.charAt(0).toUpperCase()}${kind.slice(1)} error in ${place}`));
  element.append(textElement("p", code === undefined ? message : `${code} ${message}`));
  if (frame !== undefined) element.append(frameElement(frame));
  if (diff !== undefined) element.append(preElement(diff));
  if (help !== undefined) element.append(textElement("p", help));
  if (code !== undefined) element.append(explanation(code));
  return element;
}

/** Returns the lines of a source. The mark below the column is an element of its own. */
function frameElement(frame: string): HTMLElement {
  const [before = "", after = ""] = frame.split(/(?<=^ +\|\s*)\^$/m);
  return preElement(before, textElement("span", "^"), after);
}

function preElement(...content: (string | HTMLElement)[]): HTMLElement {
  const element = document.createElement("pre");
  // The keyboard can scroll it.
  element.tabIndex = 0;
  element.append(...content);
  return element;
}

/** Returns a link to the documentation of a rule. */
function explanation(code: string): HTMLElement {
  const link = document.createElement("a");
  link.href = `/_development/errors#${code}`;
  link.target = "_blank";
  link.textContent = `About ${code}`;
  return link;
}

function textElement(name: string, text: string): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
