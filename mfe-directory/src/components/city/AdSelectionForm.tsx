import { classes } from "@colonnade/design";
import { useHydrated } from "@colonnade/kit";
import { useId, useRef, type ReactElement } from "react";

import { useDebounced } from "../filter/useDebounced";
import { useMatchesInView } from "../filter/useMatchesInView";
import css from "./AdSelectionForm.module.css";
import { AGE_RANGES, ALL, ORDERS, type AdSelection } from "./selectAds";

interface Props {
  readonly selection: AdSelection;
  readonly shown: number;
  readonly total: number;
  readonly onSelect: (selection: AdSelection) => void;
}

// Avoids announcements between keystrokes.
const DEBOUNCE_MS = 400;

const isOrder = (value: string): value is AdSelection["order"] => value in ORDERS;

/** Filters and sorts the regular ads by keyword and age. Hidden without JavaScript. */
export function AdSelectionForm({ selection, shown, total, onSelect }: Props): ReactElement {
  const id = useId();
  const keyword = useRef<HTMLInputElement>(null);
  const disabled = !useHydrated();
  const isFiltered = selection.keyword.trim() !== "" || selection.ages !== "";
  const status = shown === 0 ? "No ads match." : `${String(shown)} of ${String(total)} ads`;
  const { list, onType } = useMatchesInView<HTMLDivElement>(selection.keyword);
  const showAll = (): void => {
    onSelect(ALL);
    keyword.current?.focus();
  };
  const announced = useDebounced(isFiltered ? status : "", DEBOUNCE_MS);
  return (
    <div ref={list} role="search" aria-label="Ads" className={css.form}>
      <div className="field">
        <label htmlFor={`${id}-keyword`}>Keyword</label>
        <input
          ref={keyword}
          id={`${id}-keyword`}
          type="search"
          autoComplete="off"
          enterKeyHint="search"
          disabled={disabled}
          value={selection.keyword}
          onChange={(event) => {
            onType();
            onSelect({ ...selection, keyword: event.target.value });
          }}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-ages`}>Age</label>
        <select
          id={`${id}-ages`}
          disabled={disabled}
          value={selection.ages}
          onChange={(event) => {
            onSelect({ ...selection, ages: event.target.value });
          }}
        >
          <option value="">All</option>
          {AGE_RANGES.map((range) => (
            <option key={range} value={range}>
              {range.replace("-", " to ")}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}-order`}>Sort</label>
        <select
          id={`${id}-order`}
          disabled={disabled}
          value={selection.order}
          onChange={({ target: { value } }) => {
            if (isOrder(value)) onSelect({ ...selection, order: value });
          }}
        >
          {Object.entries(ORDERS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <p role="status" className={css.status}>
        {announced}
      </p>
      {shown === 0 && (
        <button type="button" className={classes("button", "quiet", css.all)} onClick={showAll}>
          Show all ads
        </button>
      )}
    </div>
  );
}
