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

/** So many cities fill the first screen, also where they stand side by side. */
const IN_SIGHT = 24;

/** The groups, each with how many cities stand before it. */
function withPlaces(groups: readonly LetterGroup[]): readonly (LetterGroup & { readonly before: number })[] {
  let count = 0;
  return groups.map((group) => {
    const before = count;
    count += group.cities.length;
    return { ...group, before };
  });
}

const placeOf = (letter: string): string => `cities-${letter.toLowerCase()}`;

/** All cities of a large state, by their first letters, and a way to each letter. */
export const CityLetters = memo(function CityLetters({ state, cities, cardText }: Props): ReactElement {
  const groups = useMemo(() => withPlaces(groupByLetter(cities)), [cities]);
  return (
    <>
      <nav className={css.letters} aria-label="Cities by letter">
        <ul>
          {groups.map(({ letter }) => (
            <li key={letter}>
              <a href={`#${placeOf(letter)}`}>{letter}</a>
            </li>
          ))}
        </ul>
      </nav>
      {groups.map((group) => (
        <div key={group.letter} className={classes(group.before >= IN_SIGHT && "later", css.group)}>
          <h2 id={placeOf(group.letter)}>{group.letter}</h2>
          <CityList state={state} cities={group.cities} cardText={cardText} />
        </div>
      ))}
    </>
  );
});
