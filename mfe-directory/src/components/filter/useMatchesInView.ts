import { useLayoutEffect, useRef, type RefObject } from "react";

const NARROW = "(max-width: 40em)";

/**
 * Shows the first match of a filter: scrolls to the start of the list when a visitor types, if they were further down, and
 * on a phone, where the keyboard covers what is below the field.
 *
 * @param query what is typed. The list is not scrolled when it changes in another way.
 */
export function useMatchesInView<T extends HTMLElement>(
  query: string,
): {
  readonly list: RefObject<T | null>;
  /** Call it when a visitor types. */
  readonly onType: () => void;
} {
  const list = useRef<T>(null);
  const hasTyped = useRef(false);
  useLayoutEffect(() => {
    const { current } = list;
    if (hasTyped.current && current && (matchMedia(NARROW).matches || current.getBoundingClientRect().top < 0))
      current.scrollIntoView();
    hasTyped.current = false;
  }, [query]);
  return {
    list,
    onType: () => {
      hasTyped.current = true;
    },
  };
}
