import { classes } from "@colonnade/design";
import { useHydrated } from "@colonnade/kit";
import { useId, useRef, type ReactElement } from "react";

import css from "./Filter.module.css";
import { useDebounced } from "./useDebounced";

interface Props {
  readonly label: string;
  readonly query: string;
  /** Number of matching items. */
  readonly shown: number;
  /** Status text for screen readers and visitors while the list is filtered. */
  readonly status: string;
  readonly onQuery: (query: string) => void;
}

// Avoids announcements between keystrokes.
const DEBOUNCE_MS = 400;

/**
 * A filter field for a list. Announces the number of matches after a pause in typing; announces no matches
 * immediately. Disabled until hydration, hidden without JavaScript.
 */
export function Filter({ label, query, shown, status, onQuery }: Props): ReactElement {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const hydrated = useHydrated();
  const isFiltered = query.trim() !== "";
  const announced = useDebounced(isFiltered ? status : "", shown === 0 ? 0 : DEBOUNCE_MS);
  const showAll = (): void => {
    onQuery("");
    input.current?.focus();
  };
  return (
    <div role="search" aria-label={label} className={classes("field", css.filter)}>
      <label htmlFor={id}>{label}</label>
      <input
        ref={input}
        id={id}
        type="search"
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        aria-description="Filters as you type."
        disabled={!hydrated}
        value={query}
        onChange={(event) => {
          onQuery(event.target.value);
        }}
      />
      <p role="status" className={css.status}>
        {announced}
      </p>
      {isFiltered && shown === 0 && (
        <button type="button" className="button quiet" onClick={showAll}>
          Show the whole list
        </button>
      )}
    </div>
  );
}
