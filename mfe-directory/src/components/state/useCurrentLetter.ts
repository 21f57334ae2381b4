import { useCallback, useEffect, useRef, useState } from "react";

import { letterId } from "./letters";

// Browsers round scroll positions. Less than the space above a letter's heading.
const TOLERANCE = 2;

/** Whether the page is scrolled to its end. */
function isAtEnd(): boolean {
  const { scrollTop, clientHeight, scrollHeight } = document.documentElement;
  return scrollTop + clientHeight > scrollHeight - TOLERANCE;
}

/** The letter of the cities at the line to which a letter's link scrolls. A letter's heading is in its group. */
function letterAtLine(letters: readonly string[]): string | undefined {
  const headings = letters.flatMap((letter) => document.getElementById(letterId(letter)) ?? []);
  if (!headings[0]) return undefined;
  const line = Number.parseFloat(getComputedStyle(headings[0]).scrollMarginBlockStart) + TOLERANCE;
  const groups = headings.map(({ parentElement }) => parentElement?.getBoundingClientRect());
  if ((groups.at(-1)?.bottom ?? 0) <= line) return undefined;
  const atLine = groups.findLastIndex((group) => group && group.top <= line);
  // The end of the page may keep the letter of the URL below the line.
  const chosen = isAtEnd() ? headings.findIndex(({ id }) => location.hash === `#${id}`) : -1;
  return letters[Math.max(atLine, chosen)];
}

/**
 * The letter of the first cities below the sticky filter, or undefined above and below the list. Call the returned function
 * when a letter was chosen: the page may not scroll.
 */
export function useCurrentLetter(letters: readonly string[]): [current: string | undefined, update: () => void] {
  const [current, setCurrent] = useState<string>();
  const frame = useRef(0);
  // Once per frame, because it reads the layout.
  const update = useCallback(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      setCurrent(letterAtLine(letters));
    });
  }, [letters]);
  useEffect(() => {
    update();
    addEventListener("scroll", update, { passive: true });
    addEventListener("resize", update);
    return () => {
      cancelAnimationFrame(frame.current);
      removeEventListener("scroll", update);
      removeEventListener("resize", update);
    };
  }, [update]);
  return [current, update];
}
