import { memo, type ReactElement } from "react";

import { classes } from "../classes";
import { CityCard } from "./CityCard";
import css from "./CityList.module.css";

interface Props {
  readonly state: string;
  readonly cities: readonly string[];
  /** Last line of each card. */
  readonly cardText: string;
}

/** A list of city cards. */
export const CityList = memo(function CityList({ state, cities, cardText }: Props): ReactElement {
  return (
    <ul className={classes("grid", css.cities)}>
      {cities.map((city) => (
        <CityCard key={city} place={{ state, city }} text={cardText} />
      ))}
    </ul>
  );
});
