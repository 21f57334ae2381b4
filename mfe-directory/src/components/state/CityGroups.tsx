import { classes } from "@colonnade/design";
import { memo, type ReactElement } from "react";

import css from "./CityGroups.module.css";
import { CityList, type CityListProps } from "./CityList";
import { letterId, type LetterGroup } from "./letters";

interface Props extends Omit<CityListProps, "cities"> {
  readonly groups: readonly LetterGroup[];
}

/** Number of cities that fill the first screen in any layout. */
const FIRST_SCREEN_CITIES = 40;

/** Adds to each group the number of cities before it. */
function withOffsets(groups: readonly LetterGroup[]): readonly (LetterGroup & { readonly offset: number })[] {
  let count = 0;
  return groups.map((group) => {
    const offset = count;
    count += group.cities.length;
    return { ...group, offset };
  });
}

/** The cities of a large state grouped by first letter. */
export const CityGroups = memo(function CityGroups({ groups, ...list }: Props): ReactElement {
  return (
    <>
      {withOffsets(groups).map(({ letter, cities, offset }) => (
        <div key={letter} className={classes(offset >= FIRST_SCREEN_CITIES && "deferred-layout", css.group)}>
          <h3 id={letterId(letter)}>
            <span>{letter}</span>
          </h3>
          <CityList {...list} cities={cities} />
        </div>
      ))}
    </>
  );
});
