/** Reloads the document, which may come from a newer deployment. Never resolves, so that nothing renders meanwhile. */
export function reloadDocument(): Promise<never> {
  location.reload();
  return new Promise<never>(() => undefined);
}

/** Whether the document at a path can be fetched right now. */
export function isReachable(path: string): Promise<boolean> {
  return fetch(path, { method: "HEAD", cache: "no-store" }).then(
    (response) => response.ok,
    () => false,
  );
}

/** Whether the tab is at a path. The visitor may have navigated away while the page at that path was loading. */
export function isCurrentPath(path: string): boolean {
  return new URL(path, location.origin).pathname === location.pathname;
}

const TEXT_INPUTS = "textarea, input:not([type=hidden], [type=submit], [type=button], [type=reset], [type=image])";
const CHOICE_TYPES = new Set(["checkbox", "radio", "range", "color"]);

/** Whether the document contains text that the visitor typed and that a reload would lose. */
export function hasTypedText(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(TEXT_INPUTS);
  return [...fields].some(({ type, value }) => !CHOICE_TYPES.has(type) && value !== "");
}
