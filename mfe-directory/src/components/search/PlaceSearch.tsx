import { Link, useHydrated } from "@colonnade/kit";
import { useEffect, useRef, type ReactElement } from "react";

import { statePath } from "../../data/links";
import { STATES } from "../../data/states";
import { classes } from "../classes";
import css from "./PlaceSearch.module.css";
import { FIELD_ID, optionId, OPTIONS_ID, PlaceOptions } from "./PlaceOptions";
import { usePlaceSearch, type PlaceSearchState } from "./usePlaceSearch";

const NARROW = "(max-width: 40em)";

interface Props {
  /** Whether it stands in a row with other things: without a visible label. */
  readonly compact?: boolean;
}

/**
 * Search for a state or a city: a combobox whose options are links. Places are loaded on first use. Invisible until
 * hydration, removed without JavaScript.
 */
export function PlaceSearch({ compact = false }: Props): ReactElement {
  const element = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const hydrated = useHydrated();
  const search = usePlaceSearch();
  const { isOpen, active } = search;
  const hasOptions = isOpen && search.count > 0;
  useEffect(() => {
    // Above the keyboard of a phone.
    if (isOpen) element.current?.scrollIntoView({ block: matchMedia(NARROW).matches ? "start" : "nearest" });
  }, [isOpen]);

  return (
    <div
      ref={element}
      role="search"
      aria-label="Places"
      className={classes("field", css.search, compact && css.compact, !hydrated && css.inert)}
      onPointerEnter={search.index.load}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) search.setOpen(false);
      }}
    >
      <label htmlFor={FIELD_ID} className={compact ? "visually-hidden" : undefined}>
        Find a city or state
      </label>
      <div className={css.box}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13M15.5 15.5 20 20" />
        </svg>
        <input
          ref={input}
          id={FIELD_ID}
          type="text"
          role="combobox"
          inputMode="search"
          enterKeyHint="go"
          autoComplete="off"
          autoCapitalize="words"
          autoCorrect="off"
          spellCheck={false}
          placeholder={compact ? "Find a city or state" : "Try “Austin” or “TX”"}
          aria-autocomplete="list"
          aria-expanded={hasOptions}
          aria-controls={OPTIONS_ID}
          aria-activedescendant={hasOptions && active !== undefined ? optionId(active) : undefined}
          value={search.query}
          onChange={(event) => {
            search.change(event.target.value);
          }}
          onFocus={search.index.load}
          onClick={() => {
            search.setOpen(true);
          }}
          onKeyDown={search.onKeyDown}
        />
        {isOpen && (
          <div className={css.popup}>
            {hasOptions && <PlaceOptions groups={search.groups} active={active} onActive={search.setActive} />}
            <PlaceMessages search={search} focus={() => input.current?.focus()} />
          </div>
        )}
      </div>
      <p role="status" className="visually-hidden">
        {search.announced}
      </p>
    </div>
  );
}

/** What the popup says below its options. `focus` focuses the field. */
function PlaceMessages({
  search: { index, typed, found, isEmpty },
  focus,
}: {
  readonly search: PlaceSearchState;
  readonly focus: () => void;
}): ReactElement {
  const hidden = found.cityCount - found.cities.length;
  return (
    <>
      {index.state === "loading" && <p>Loading cities…</p>}
      {index.state === "failed" && (
        <p role="alert">
          <span>
            {index.find
              ? "City search isn’t available right now. You can still search for a state."
              : "Search isn’t available right now."}
          </span>{" "}
          <button
            type="button"
            className="button quiet"
            onClick={() => {
              focus();
              index.retry();
            }}
          >
            Try again
          </button>
        </p>
      )}
      {hidden > 0 && <p>{`${String(hidden)} more. Keep typing.`}</p>}
      {isEmpty && (
        <p>
          {/* In an element, so that it also changes on a page that the browser has translated. */}
          <span>
            {found.note ??
              `No state or city here matches “${typed}”. Places with fewer than 15,000 residents usually have no page.`}
          </span>{" "}
          {found.near ? (
            <Link to={statePath(found.near.name)}>{`See the cities of ${found.near.name}`}</Link>
          ) : (
            <Link to="/#states">{`See all ${String(STATES.length)} states`}</Link>
          )}
        </p>
      )}
    </>
  );
}
