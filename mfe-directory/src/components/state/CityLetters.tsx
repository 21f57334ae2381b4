import { memo, useMemo, type ReactElement } from "react";

import { classes } from "../classes";
import { CityList } from "./CityList";
import css from "./CityLetters.module.css";
import { groupByLetter } from "./letters";

interface Props {
  readonly state: string;
  readonly cities: readonly string[];
  readonly cardText: string;
}

const placeOf = (letter: string): string => `cities-${letter.toLowerCase()}`;

/** All cities of a large state, by their first letters, and a way to each letter. */
export const CityLetters = memo(function CityLetters({ state, cities, cardText }: Props): ReactElement {
  const groups = useMemo(() => groupByLetter(cities), [cities]);
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
      {groups.map((group, index) => (
        <div key={group.letter} className={index === 0 ? css.group : classes("later", css.group)}>
          <h2 id={placeOf(group.letter)}>{group.letter}</h2>
          <CityList state={state} cities={group.cities} cardText={cardText} />
        </div>
      ))}
    </>
  );
});
