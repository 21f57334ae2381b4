function focus(element: HTMLElement, options?: FocusOptions): void {
  // What takes no focus by itself takes it from script alone.
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

/** Goes to a place in the page, as a browser does for a fragment: it is scrolled to, and Tab goes on from there. */
export function focusPlace(fragment: string): void {
  const id = decode(fragment);
  // As for a place there is none of, a browser stays at the top for one that cannot be read.
  const place = id === null ? null : document.getElementById(id);
  if (!place) return;
  place.scrollIntoView();
  focus(place, { preventScroll: true });
}
