import { recordEnteredValues } from "./enteredValues.js";

/**
 * The server-rendered HTML of a page, until it is hydrated. If the page's code throws first, the same nodes stay in the
 * document as static HTML, with working links and forms.
 */
export interface ServerHtml {
  /** Whether the HTML is in the document and not hydrated. */
  readonly isStatic: boolean;
  /** Call when the page is hydrated. React owns the nodes from then on, and learns what was entered into the fields. */
  markHydrated(): void;
  /** Moves the nodes out of React's control. Call just before React removes them because hydration failed. */
  detachFromReact(): void;
  /** Call when the visitor leaves the page. Removes detached nodes. */
  remove(): void;
}

// React marks a completed Suspense boundary as `<!--$-->…<!--/$-->`, and may append to the first while it is pending.
const START = /^\$/;
const END = /^\/\$$/;

function findComment(nodes: readonly Node[], data: RegExp): Comment | undefined {
  return nodes.find((node): node is Comment => node instanceof Comment && data.test(node.data));
}

/** Finds the page's server-rendered HTML in the root element. Call before hydration. Null if there is none. */
export function findServerHtml(root: Element): ServerHtml | null {
  const nodes = [...(root.querySelector("main")?.childNodes ?? [])];
  const start = findComment(nodes, START);
  const end = findComment(nodes.reverse(), END);
  return start && end ? createServerHtml(root, start, end) : null;
}

function createServerHtml(root: Element, start: Comment, end: Comment): ServerHtml {
  const enterAgain = recordEnteredValues(root);
  let done = false;
  let detached: readonly Node[] | null = null;
  return {
    get isStatic() {
      return !done && (detached !== null || start.isConnected);
    },
    markHydrated() {
      done = true;
      // React ignores events, and may reset fields, until this commit ends.
      queueMicrotask(enterAgain);
    },
    detachFromReact() {
      const nodes: Node[] = [];
      for (let node = start.nextSibling; node && node !== end; node = node.nextSibling) nodes.push(node);
      // React removes the nodes between its two comments. Moving the end comment instead of the nodes preserves focus,
      // selection and typed text.
      start.after(end);
      detached = nodes;
    },
    remove() {
      done = true;
      for (const node of detached ?? []) (node as ChildNode).remove();
    },
  };
}
