import { useId, type ReactElement } from "react";

import css from "./CityFilter.module.css";
import { useSettled } from "./useSettled";

interface Props {
  readonly state: string;
  readonly query: string;
  /** How many cities match. */
  readonly shown: number;
  readonly total: number;
  readonly onQuery: (query: string) => void;
}

// Long enough not to speak between two keystrokes.
const PAUSE_MS = 400;

function statusOf({ state, query, shown, total }: Props): string {
  if (query.trim() === "") return "";
  if (shown === 0) return `No results: no city in ${state} matches “${query.trim()}”.`;
  return `${String(shown)} of ${String(total)} cities`;
}

/** The box that narrows a state's cities as one types. It says how many are left once the typing pauses. */
export function CityFilter(props: Props): ReactElement {
  const id = useId();
  const status = useSettled(statusOf(props), props.shown === 0 ? 0 : PAUSE_MS);
  return (
    <div role="search" className={`field ${css.filter ?? ""}`}>
      <label htmlFor={id}>Filter cities</label>
      <input
        id={id}
        type="search"
        autoComplete="off"
        spellCheck={false}
        aria-describedby={`${id}-hint`}
        value={props.query}
        onChange={(event) => {
          props.onQuery(event.target.value);
        }}
      />
      <p id={`${id}-hint`} className="visually-hidden">
        The list below narrows as you type.
      </p>
      <p role="status" className={css.status}>
        {status}
      </p>
    </div>
  );
}
