/** Whether the stylesheets of links that still load are to be disabled. */
const disabled = new WeakMap<HTMLLinkElement, boolean>();

function pathOf(link: HTMLLinkElement): string {
  return new URL(link.href).pathname;
}

/** Webpack inserts the link of a changed stylesheet after the one that it replaces. */
function inheritState(link: HTMLLinkElement): void {
  const old = link.previousElementSibling;
  if (!(old instanceof HTMLLinkElement) || pathOf(old) !== pathOf(link)) return;
  disabled.set(link, old.sheet ? old.sheet.disabled : disabled.get(old) === true);
  // The shell's links have one, which holds until they are loaded.
  link.removeAttribute("media");
  link.addEventListener("load", () => {
    if (link.sheet) link.sheet.disabled = disabled.get(link) === true;
  });
}

/**
 * Keeps the stylesheets that are not in force so when a hot update replaces them. The shell disables those of other pages than the
 * current one.
 */
export function keepStylesDisabled(): void {
  new MutationObserver((records) => {
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes]))
      if (node instanceof HTMLLinkElement && node.rel === "stylesheet") inheritState(node);
  }).observe(document.head, { childList: true });
}
