import { classes } from "@colonnade/design";
import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import css from "./PlacePopup.module.css";

/** An option of the search. */
interface FoundPlace {
  /** Position among the options of all groups. */
  readonly index: number;
  readonly path: string;
  readonly name: string;
  /** The state of a city, or the postal code of a state. */
  readonly detail: string;
}

/** Options under a heading. */
export interface PlaceGroup {
  readonly label: string;
  readonly places: readonly FoundPlace[];
}

/** Id of the list, which the field controls. */
const OPTIONS_ID = "place-search-places";

const labelId = (label: string): string => `${OPTIONS_ID}-${label.replaceAll(" ", "-")}`;

/** Id of an option. */
export function optionId(index: number): string {
  return `place-search-option-${String(index)}`;
}

interface Props {
  readonly groups: readonly PlaceGroup[];
  /** Index of the active option. */
  readonly active: number | undefined;
  readonly onActive: (index: number) => void;
}

/** The options of the search, in groups. The focus stays in the search field. */
export function PlaceOptions({ groups, active, onActive }: Props): ReactElement {
  return (
    <div
      id={OPTIONS_ID}
      role="listbox"
      aria-label="Places"
      onMouseDown={(event) => {
        event.preventDefault();
      }}
    >
      {groups.map(({ label, places }) => (
        <div key={label} role="group" aria-labelledby={labelId(label)}>
          <div id={labelId(label)} className={css.group} role="presentation">
            {label}
          </div>
          {places.map(({ index, path, name, detail }) => (
            <Link
              key={path}
              to={path}
              id={optionId(index)}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={classes(css.option, index === active && css.active)}
              onMouseMove={() => {
                onActive(index);
              }}
            >
              <span>{name}</span> <span>{detail}</span>
            </Link>
          ))}
        </div>
      ))}
    </div>
  );
}
