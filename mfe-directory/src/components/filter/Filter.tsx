import { useHydrated } from "@colonnade/kit";
import { useId, useRef, type ReactElement } from "react";

import { classes } from "../classes";
import css from "./Filter.module.css";
import { useSettled } from "./useSettled";

interface Props {
  readonly label: string;
  readonly query: string;
  /** How many of the list match. */
  readonly shown: number;
  /** What is said of the list while something is typed. */
  readonly status: string;
  readonly onQuery: (query: string) => void;
}

// Long enough not to speak between two keystrokes.
const PAUSE_MS = 400;

/**
 * The box that narrows a list as one types. It says how much is left once the typing pauses, and at once where nothing
 * is. It comes with the page and can be used from the moment that it works; without script it is not shown.
 */
export function Filter({ label, query, shown, status, onQuery }: Props): ReactElement {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const hydrated = useHydrated();
  const isFiltered = query.trim() !== "";
  const said = useSettled(isFiltered ? status : "", shown === 0 ? 0 : PAUSE_MS);
  const showAll = (): void => {
    onQuery("");
    input.current?.focus();
  };
  return (
    <div role="search" className={classes("field", css.filter)}>
      <label htmlFor={id}>{label}</label>
      <p id={`${id}-hint`} className={css.hint}>
        The list filters as you type.
      </p>
      <input
        ref={input}
        id={id}
        type="search"
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        aria-describedby={`${id}-hint`}
        disabled={!hydrated}
        value={query}
        onChange={(event) => {
          onQuery(event.target.value);
        }}
      />
      <p role="status" className={css.status}>
        {said}
      </p>
      {isFiltered && shown === 0 && (
        <button type="button" className={classes("button", "quiet", css.all)} onClick={showAll}>
          Show the whole list
        </button>
      )}
    </div>
  );
}
