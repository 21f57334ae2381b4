import type { ReactElement } from "react";

import css from "./Venues.module.css";

/** A fictitious venue. */
interface Venue {
  readonly name: string;
  readonly streetAddress: string;
}

interface Props {
  readonly groups: readonly { readonly heading: string; readonly venues: readonly Venue[] }[];
  readonly state: string;
  readonly cities: readonly string[];
}

// Distributes venues evenly and deterministically over the state's cities.
function cityAt(index: number, count: number, cities: readonly string[]): string | undefined {
  return cities[Math.floor((index * cities.length) / count)];
}

/** Sample venues in two columns, each labeled as a sample. */
export function Venues({ groups, state, cities }: Props): ReactElement {
  const all = groups.flatMap((group) => group.venues);
  return (
    <div className={css.groups}>
      {groups.map((group) => (
        <div key={group.heading}>
          <h3>{group.heading}</h3>
          <ul className={css.venues}>
            {group.venues.map((venue) => {
              const city = cityAt(all.indexOf(venue), all.length, cities);
              return (
                <li key={venue.name}>
                  <strong>{venue.name}</strong>
                  <span className="badge sample">Sample venue</span>
                  <span className={css.line}>{venue.streetAddress}</span>
                  <span className={css.line}>{city === undefined ? state : `${city}, ${state}`}</span>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </div>
  );
}
