import { useMemo, type ReactElement } from "react";

import { search, searchKey } from "../../text/foldName";
import { Filter } from "../filter/Filter";
import { useQuery } from "../filter/useQuery";
import css from "./CityBrowser.module.css";
import { CityLetters } from "./CityLetters";
import { CityList } from "./CityList";
import { MIN_GROUPED_CITIES } from "./letters";

interface Props {
  readonly state: string;
  readonly cities: readonly string[];
  /** Last line of each card. */
  readonly cardText: string;
}

/** The cities of a state and a filter. */
export function CityBrowser({ state, cities, cardText }: Props): ReactElement {
  const [query, setQuery] = useQuery();
  // Folding names is expensive for a large state, so it waits for the first query.
  const isFiltered = query.trim() !== "";
  const names = useMemo(
    () => (isFiltered ? cities.map((city) => ({ city, name: searchKey(city) })) : []),
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
      {!isFiltered && cities.length >= MIN_GROUPED_CITIES ? <CityLetters {...list} /> : <CityList {...list} />}
    </section>
  );
}
