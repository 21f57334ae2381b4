/** Whether the stylesheets of links that replace others are to be disabled once loaded. */
const disabled = new WeakMap<HTMLLinkElement, boolean>();

function withoutQuery({ href }: HTMLLinkElement): string | undefined {
  return href.split("?")[0];
}

/** Whether a link is one of the site or has replaced one. Browser extensions add others. */
function isOfSite(link: HTMLLinkElement): boolean {
  return link.dataset.href !== undefined || disabled.has(link);
}

/** Webpack inserts the link of a changed stylesheet after the one that it replaces. */
function inheritState(link: HTMLLinkElement): void {
  const old = link.previousElementSibling;
  if (!(old instanceof HTMLLinkElement && isOfSite(old)) || withoutQuery(old) !== withoutQuery(link)) return;
  disabled.set(link, old.sheet ? old.sheet.disabled : disabled.get(old) === true);
  if (old.dataset.part !== undefined) link.dataset.part = old.dataset.part;
  // The shell's links have one, which holds until they are loaded.
  link.removeAttribute("media");
  link.addEventListener("load", () => {
    if (link.sheet) link.sheet.disabled = disabled.get(link) === true;
  });
}

/**
 * Keeps the stylesheets that are not in force so when a hot update replaces them. The shell
 * disables those of other pages than the current one.
 */
export function keepStylesDisabled(): void {
  new MutationObserver((records) => {
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes]))
      if (node instanceof HTMLLinkElement && node.rel === "stylesheet") inheritState(node);
  }).observe(document.head, { childList: true });
}
