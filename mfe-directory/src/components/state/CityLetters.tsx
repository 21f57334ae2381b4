import { memo, useMemo, type ReactElement } from "react";

import { classes } from "../classes";
import { CityList } from "./CityList";
import css from "./CityLetters.module.css";
import { groupByLetter, type LetterGroup } from "./letters";

interface Props {
  readonly state: string;
  readonly cities: readonly string[];
  readonly cardText: string;
}

/** Number of cities that fill the first screen in any layout. */
const FIRST_SCREEN_CITIES = 24;

/** Adds to each group the number of cities before it. */
function withOffsets(groups: readonly LetterGroup[]): readonly (LetterGroup & { readonly offset: number })[] {
  let count = 0;
  return groups.map((group) => {
    const offset = count;
    count += group.cities.length;
    return { ...group, offset };
  });
}

const anchorOf = (letter: string): string => `cities-${letter.toLowerCase()}`;

/** The cities of a large state grouped by first letter, with links to the letters. */
export const CityLetters = memo(function CityLetters({ state, cities, cardText }: Props): ReactElement {
  const groups = useMemo(() => withOffsets(groupByLetter(cities)), [cities]);
  return (
    <>
      <nav className={css.letters} aria-label="Cities by letter">
        <ul>
          {groups.map(({ letter }) => (
            <li key={letter}>
              <a href={`#${anchorOf(letter)}`}>{letter}</a>
            </li>
          ))}
        </ul>
      </nav>
      {groups.map((group) => (
        <div
          key={group.letter}
          className={classes(group.offset >= FIRST_SCREEN_CITIES && "deferred-layout", css.group)}
        >
          <h2 id={anchorOf(group.letter)}>{group.letter}</h2>
          <CityList state={state} cities={group.cities} cardText={cardText} />
        </div>
      ))}
    </>
  );
});
