import { useHydrated } from "@colonnade/kit";
import { useMemo, useState, type ReactElement } from "react";

import { matches, searchable } from "../../text/foldName";
import { classes } from "../classes";
import { CityCard } from "./CityCard";
import { CityFilter } from "./CityFilter";
import css from "./CityBrowser.module.css";

interface Props {
  readonly state: string;
  readonly cities: readonly string[];
  /** The last line of each card. */
  readonly cardText: string;
}

/** All cities of a state, and the box that narrows them. */
export function CityBrowser({ state, cities, cardText }: Props): ReactElement {
  const [query, setQuery] = useState("");
  const hydrated = useHydrated();
  // Folding names takes a good part of rendering a large state, and nobody has typed anything yet.
  const isFiltered = query !== "";
  const names = useMemo(
    () => (isFiltered ? cities.map((city) => ({ city, name: searchable(city) })) : []),
    [cities, isFiltered],
  );
  const shown = useMemo(
    () => (isFiltered ? names.filter(({ name }) => matches(name, query)).map(({ city }) => city) : cities),
    [cities, isFiltered, names, query],
  );
  // The filter's coming must not have hundreds of cards drawn again.
  const cards = useMemo(
    () => shown.map((city) => <CityCard key={city} place={{ state, city }} text={cardText} />),
    [shown, state, cardText],
  );

  if (cities.length === 0) return <p className={css.empty}>No cities of {state} are listed yet.</p>;
  return (
    <>
      <div className={css.filter}>
        {hydrated && (
          <CityFilter state={state} query={query} shown={shown.length} total={cities.length} onQuery={setQuery} />
        )}
      </div>
      <ul className={classes("grid", css.cities)}>{cards}</ul>
    </>
  );
}
