function styleLinks(): HTMLLinkElement[] {
  return [...document.head.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")];
}

function disableOnLoad(link: HTMLLinkElement, disabled: boolean): void {
  link.addEventListener("load", () => {
    if (link.sheet) link.sheet.disabled = disabled;
  });
}

/**
 * Call before a hot update. Call the result after it: the stylesheets that were not in force are not in force again, and all links
 * of a changed stylesheet load it. Webpack replaces only the first link, by one that is in force, and views whose stylesheets
 * have different orders have links of their own.
 */
export function recordStyles(): () => void {
  const before = styleLinks().map((link) => ({ link, disabled: link.sheet?.disabled ?? true }));
  return () => {
    for (const link of styleLinks()) {
      const [first, ...others] = before.filter((old) => old.link.href === link.href);
      if (!first || before.some((old) => old.link === link)) continue;
      disableOnLoad(link, first.disabled);
      for (const other of others) {
        const fresh = other.link.cloneNode() as HTMLLinkElement;
        fresh.removeAttribute("media");
        disableOnLoad(fresh, other.disabled);
        other.link.replaceWith(fresh);
      }
    }
  };
}
