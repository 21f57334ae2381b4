import { useEffect, useRef, type ReactElement } from "react";

import css from "./LetterLinks.module.css";
import { letterId } from "./letters";
import { useCurrentLetter } from "./useCurrentLetter";

/** Links to the letters of a long list. Marks the letter of the cities in view, and keeps its link in view. */
export function LetterLinks({ letters }: { readonly letters: readonly string[] }): ReactElement {
  const [current, update] = useCurrentLetter(letters);
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = strip.current?.querySelector<HTMLElement>("[aria-current]");
    // Not `scrollIntoView`, which also scrolls the page.
    strip.current?.scrollTo({ left: link ? link.offsetLeft - strip.current.clientWidth / 2 : 0 });
  }, [current]);
  return (
    <nav ref={strip} className={css.letters} aria-label="Cities by letter">
      <ul>
        {letters.map((letter) => (
          <li key={letter}>
            <a
              href={`#${letterId(letter)}`}
              onClick={update}
              {...(letter === current && { "aria-current": "location" })}
            >
              {letter}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
