/**
 * The HTML of a page that came rendered, as the visitor reads it until the page's code has taken it over. Where that code
 * throws first, it is kept: the very same nodes, which lead and post as they did.
 */
export interface RenderedHtml {
  /** Whether it is there to be read, and not its code's yet. */
  readonly stands: boolean;
  /** To be called when the page's code has taken it over: from now on it is React's to take away. */
  takeOver(): void;
  /** Keeps it. To be called just before React takes away what it could not take over. */
  keep(): void;
  /** To be called when the visitor leaves the page: what was kept goes. */
  leave(): void;
}

// React writes a boundary whose content is there as `<!--$-->…<!--/$-->`, and may add to the first while it waits.
const START = /^\$/;
const END = /^\/\$$/;

function findComment(nodes: readonly Node[], data: RegExp): Comment | undefined {
  return nodes.find((node): node is Comment => node instanceof Comment && data.test(node.data));
}

/** The page's HTML in the document's root, before anything has touched it; null where it holds none to take over. */
export function findRenderedHtml(root: Element): RenderedHtml | null {
  const nodes = [...(root.querySelector("main")?.childNodes ?? [])];
  const start = findComment(nodes, START);
  const end = findComment(nodes.reverse(), END);
  return start && end ? createRenderedHtml(start, end) : null;
}

function createRenderedHtml(start: Comment, end: Comment): RenderedHtml {
  let over = false;
  let kept: readonly Node[] | null = null;
  return {
    get stands() {
      return !over && (kept !== null || start.isConnected);
    },
    takeOver() {
      over = true;
    },
    keep() {
      const nodes: Node[] = [];
      for (let node = start.nextSibling; node && node !== end; node = node.nextSibling) nodes.push(node);
      // React takes away what stands between its comments. Outside of them, nothing happens to it: the focus, what is
      // selected and what was typed stay with it.
      start.after(end);
      kept = nodes;
    },
    leave() {
      over = true;
      for (const node of kept ?? []) (node as ChildNode).remove();
    },
  };
}
