// The dialog that shows the problems of the sections under development, over the page.
import type { DevelopmentProblem } from "../problem.js";

// The page's policy allows stylesheets that scripts construct.
const STYLES = `
  dialog { box-sizing: border-box; width: min(56rem, calc(100vw - 2rem)); max-height: calc(100vh - 4rem); margin: 2rem auto;
    padding: 1.25rem 1.5rem; border: 1px solid #b3261e; border-radius: 8px; background: #fff; color: #1b1b1f;
    font: 16px/1.5 system-ui, sans-serif; color-scheme: light; overflow: auto; }
  dialog::backdrop { background: rgb(0 0 0 / 45%); }
  .header { display: flex; gap: 1rem; align-items: center; justify-content: space-between; }
  h1 { margin: 0; font-size: 1.25rem; }
  h2 { margin: 1.25rem 0 0.25rem; font-size: 1rem; color: #8c1d18; }
  p { margin: 0.25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
  pre { margin: 0.5rem 0; padding: 0.75rem; border-radius: 4px; background: #1b1b1f; color: #f2f2f4;
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
  if (frame !== undefined) element.append(textElement("pre", frame));
  if (diff !== undefined) element.append(textElement("pre", diff));
  if (help !== undefined) element.append(textElement("p", help));
  if (code !== undefined) element.append(explanation(code));
  return element;
}

/** Returns a link to the documentation of a rule. */
function explanation(code: string): HTMLElement {
  const link = document.createElement("a");
  link.href = `/_development/errors.md#:~:text=${code}`;
  link.target = "_blank";
  link.textContent = `About ${code}`;
  return link;
}

function textElement(name: string, text: string): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
