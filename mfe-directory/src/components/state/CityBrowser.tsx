import { useMemo, type ReactElement } from "react";

import { search, searchable } from "../../text/foldName";
import { Filter } from "../filter/Filter";
import { useQuery } from "../filter/useQuery";
import css from "./CityBrowser.module.css";
import { CityLetters } from "./CityLetters";
import { CityList } from "./CityList";
import { LONG } from "./letters";

interface Props {
  readonly state: string;
  readonly cities: readonly string[];
  /** The last line of each card. */
  readonly cardText: string;
}

/** All cities of a state, and the box that narrows them. */
export function CityBrowser({ state, cities, cardText }: Props): ReactElement {
  const [query, setQuery] = useQuery();
  // Folding names takes a good part of rendering a large state, and nobody has typed anything yet.
  const isFiltered = query.trim() !== "";
  const names = useMemo(
    () => (isFiltered ? cities.map((city) => ({ city, name: searchable(city) })) : []),
    [cities, isFiltered],
  );
  const shown = useMemo(
    () => (isFiltered ? search(names, query, ({ name }) => name).map(({ city }) => city) : cities),
    [cities, isFiltered, names, query],
  );

  if (cities.length === 0) return <p className="notice">No cities of {state} are listed yet.</p>;
  const list = { state, cities: shown, cardText };
  return (
    <section className={css.browser} aria-label={`Cities in ${state}`}>
      <Filter
        label="Filter cities"
        query={query}
        shown={shown.length}
        status={
          shown.length === 0
            ? `No results: no city in ${state} matches “${query.trim()}”.`
            : `${String(shown.length)} of ${String(cities.length)} cities`
        }
        onQuery={setQuery}
      />
      {!isFiltered && cities.length >= LONG ? <CityLetters {...list} /> : <CityList {...list} />}
    </section>
  );
}
