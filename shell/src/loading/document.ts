/** A document of the live deployment takes this tab over; nothing is shown in between. */
export function loadAnew(): Promise<never> {
  location.reload();
  return new Promise<never>(() => undefined);
}

/** Whether a path's document can be had. Without an answer, the one that is shown is all there is. */
export function isThere(path: string): Promise<boolean> {
  return fetch(path, { method: "HEAD", cache: "no-store" }).then(
    (response) => response.ok,
    () => false,
  );
}

/** Whether the tab is at a path. What was asked for a page may be answered when the visitor has gone elsewhere. */
export function isAt(path: string): boolean {
  return new URL(path, location.origin).pathname === location.pathname;
}

const TYPED_IN = "textarea, input:not([type=hidden], [type=submit], [type=button], [type=reset], [type=image])";
const CHOSEN = new Set(["checkbox", "radio", "range", "color"]);

/** Whether the document holds anything that a visitor has typed and that a new one would not have. */
export function holdsTypedText(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(TYPED_IN);
  return [...fields].some(({ type, value }) => !CHOSEN.has(type) && value !== "");
}
