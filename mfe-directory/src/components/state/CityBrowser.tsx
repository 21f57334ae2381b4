import { classes } from "@colonnade/design";
import { Suspense, useMemo, type ReactElement } from "react";

import { search, searchKey } from "../../text/foldName";
import { Filter } from "../filter/Filter";
import { useEntryState } from "../filter/useEntryState";
import { useMatchesInView } from "../filter/useMatchesInView";
import css from "./CityBrowser.module.css";
import { CityGroups } from "./CityGroups";
import { CityList, type CityListProps } from "./CityList";
import { LetterLinks } from "./LetterLinks";
import { groupByLetter, MIN_GROUPED_CITIES } from "./letters";

/** The cities of a state and a filter that stays in view. */
export function CityBrowser({ state, cities, rowText }: CityListProps): ReactElement {
  const [query, setQuery] = useEntryState("");
  const { list, onType } = useMatchesInView(query);
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
  const isLong = cities.length >= MIN_GROUPED_CITIES;
  const groups = useMemo(() => (isLong ? groupByLetter(cities) : []), [cities, isLong]);
  const letters = useMemo(() => groups.map(({ letter }) => letter), [groups]);

  const filter = (value: string): void => {
    onType();
    setQuery(value);
  };

  if (cities.length === 0) return <p className="notice">We don’t list any cities in {state.name} yet.</p>;
  return (
    <section
      ref={list}
      className={classes(css.browser, isLong && css.long, isFiltered && css.filtered)}
      aria-label={`Cities in ${state.name}`}
    >
      <h2>{cities.length === 1 ? "The city" : `All ${String(cities.length)} cities`}</h2>
      <div className={css.sticky}>
        <Filter
          label="Filter cities"
          query={query}
          shown={shown.length}
          status={
            shown.length === 0
              ? `No results: no city in ${state.name} matches “${query.trim()}”.`
              : `${String(shown.length)} of ${String(cities.length)} cities`
          }
          onQuery={filter}
        />
        {isLong && (
          <a href="#main" className={css.top}>
            Top ↑
          </a>
        )}
        {isLong && !isFiltered && <LetterLinks letters={letters} />}
      </div>
      {isLong && !isFiltered ? (
        // Hydrates after the filter above it: its links work as HTML.
        <Suspense>
          <CityGroups state={state} groups={groups} rowText={rowText} />
        </Suspense>
      ) : (
        <CityList state={state} cities={shown} rowText={rowText} />
      )}
    </section>
  );
}
