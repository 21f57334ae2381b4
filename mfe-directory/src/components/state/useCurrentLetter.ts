import { useEffect, useState } from "react";

import { letterId } from "./letters";

// A line below the sticky filter. The group that crosses it is the current one.
const READING_LINE = "-25% 0px -75% 0px";

/** The letter of the cities in view, or undefined above and below the list. A letter's heading is in its group. */
export function useCurrentLetter(letters: readonly string[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    const inView = new Set<Element>();
    const letterOf = new Map<Element, string>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) inView[isIntersecting ? "add" : "delete"](target);
        setCurrent([...inView].map((group) => letterOf.get(group)).at(-1));
      },
      { rootMargin: READING_LINE },
    );
    for (const letter of letters) {
      const group = document.getElementById(letterId(letter))?.parentElement;
      if (!group) continue;
      letterOf.set(group, letter);
      observer.observe(group);
    }
    return () => {
      observer.disconnect();
    };
  }, [letters]);
  return current;
}
