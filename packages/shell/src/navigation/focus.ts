function focus(element: HTMLElement, options?: FocusOptions): void {
  // Elements that are not focusable need a negative tabIndex to take focus from script.
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus(options);
}

/** Moves the focus to the page's heading, without scrolling. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("main h1");
  if (heading) focus(heading, { preventScroll: true });
}

function decode(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}

/** Scrolls to the target of a fragment and focuses it, as browsers do, so that Tab continues from there. */
export function focusFragment(fragment: string): void {
  const id = decode(fragment);
  // Browsers ignore a fragment without a target, and one that cannot be decoded.
  const target = id === null ? null : document.getElementById(id);
  if (!target) return;
  target.scrollIntoView();
  focus(target, { preventScroll: true });
  // Content near the viewport with `content-visibility: auto` gets its height in the next frame. A visitor may have moved
  // the focus by then.
  requestAnimationFrame(() => {
    requestAnimationFrame(() => {
      if (document.activeElement === target) target.scrollIntoView();
    });
  });
}
