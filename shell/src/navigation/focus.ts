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

/** Goes to a place in the page, as a browser does for a fragment: it is scrolled to, and Tab goes on from there. */
export function focusPlace(id: string): void {
  const place = document.getElementById(decodeURIComponent(id));
  if (!place) return;
  place.scrollIntoView();
  focus(place, { preventScroll: true });
}
