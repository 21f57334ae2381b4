import { memo, type ReactElement } from "react";

import { cityPathsOf } from "../../data/links";
import type { State } from "../../data/states";
import css from "./CityList.module.css";

/** Props of the lists of a state's cities. */
export interface CityListProps {
  readonly state: State;
  readonly cities: readonly string[];
  /** Last words of each row. */
  readonly rowText: string;
}

/** A list of cities. Each row is a link. In a narrow row, the style replaces the state's name with its postal code. */
export const CityList = memo(function CityList({ state, cities, rowText }: CityListProps): ReactElement {
  const cityPath = cityPathsOf(state.name);
  return (
    <ul className={css.cities}>
      {cities.map((city) => (
        <li key={city}>
          {/* What `Link` renders. In each row, the component would take 8% of the render of the longest page. */}
          <a href={cityPath(city)} rel="nofollow">
            <strong>{city}</strong> <span data-code={state.code}>{state.name}</span>
            {/* One text node: with two, React separates them with a comment in each row. */}
            {` ${rowText}`}
          </a>
        </li>
      ))}
    </ul>
  );
});
