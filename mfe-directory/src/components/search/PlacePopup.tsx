import { citiesInTab } from "@colonnade/design/tab";
import { Link, useLocation } from "@colonnade/kit";
import { useEffect, useImperativeHandle, useState, type ReactElement, type Ref } from "react";

import { cityPath, statePath } from "../../data/links";
import { useDebounced } from "../filter/useDebounced";
import type { FoundPlaces } from "./findPlaces";
import { optionId, PlaceOptions, type PlaceGroup } from "./PlaceOptions";
import css from "./PlacePopup.module.css";
import { useFoundPlaces } from "./useFoundPlaces";

// Avoids announcements between keystrokes.
const DEBOUNCE_MS = 700;

/** The most cities of the tab that an empty field suggests. */
const MAX_TAB_CITIES = 7;

/** What the field of the search shows of its popup. */
export interface PopupState {
  readonly hasOptions: boolean;
  /** Id of the active option. */
  readonly active?: string;
  /** For screen readers. */
  readonly announced: string;
}

/** The keys of the field that the popup handles. */
export interface PopupKeys {
  /** Makes the next option active, or the previous one. */
  readonly move: (step: 1 | -1) => void;
  /** Opens the page of the active option, or of the first one that matches what is typed. Returns whether there is nothing to await. */
  readonly follow: () => boolean;
}

interface Props {
  readonly typed: string;
  readonly isOpen: boolean;
  /** Whether the first option is to be followed when the cities are loaded. */
  readonly isAwaited: boolean;
  readonly keys: Ref<PopupKeys>;
  readonly onChange: (state: PopupState) => void;
  /** Focuses the field. */
  readonly focus: () => void;
}

const hasPlaces = ({ places }: PlaceGroup): boolean => places.length > 0;

function groupsOf({ states, cities, citiesFirst, similar }: FoundPlaces): readonly PlaceGroup[] {
  const [firstState, firstCity] = citiesFirst ? [cities.length, 0] : [0, states.length];
  const groups: PlaceGroup[] = [
    {
      label: "States",
      places: states.map(({ name, code }, index) => ({
        index: firstState + index,
        path: statePath(name),
        name,
        detail: code,
      })),
    },
    {
      label: "Cities",
      places: cities.map((place, index) => ({
        index: firstCity + index,
        path: cityPath(place),
        name: place.city,
        detail: place.state,
      })),
    },
  ];
  if (similar) return [{ label: "Did you mean", places: groups.flatMap(({ places }) => places) }].filter(hasPlaces);
  if (citiesFirst) groups.reverse();
  return groups.filter(hasPlaces);
}

/** The cities whose ads were opened in this tab, for an empty field, without that of the page. */
function tabGroups(page: string): readonly PlaceGroup[] {
  const places = citiesInTab()
    .filter(({ path }) => path !== page)
    .slice(0, MAX_TAB_CITIES)
    .map(({ path, state, city }, index) => ({ index, path, name: city, detail: state }));
  return [{ label: "Cities in this tab", places }].filter(hasPlaces);
}

/** Opens the page of an option. The shell handles clicks on links, and returns the focus to the field. */
function follow(index: number): void {
  document.getElementById(optionId(index))?.click();
}

function statusOf(count: number, state: "loading" | "loaded" | "failed"): string {
  if (state === "loading") return "";
  if (count === 0) return state === "loaded" ? "No results" : "";
  return count === 1 ? "1 result" : `${String(count)} results`;
}

/**
 * The places that match what is typed in a place search, or before that, the cities of the tab. It has the code that finds them, and loads the index of cities.
 */
export function PlacePopup({ typed, isOpen, isAwaited, keys, onChange, focus }: Props): ReactElement | null {
  const { found, state, retry } = useFoundPlaces(typed);
  const [moved, setMoved] = useState({ typed, index: -1 });
  const { pathname } = useLocation();
  const isEmpty = typed === "";
  const groups = isEmpty ? tabGroups(pathname) : groupsOf(found);
  const count = groups.reduce((sum, { places }) => sum + places.length, 0);
  const active = moved.typed === typed && moved.index >= 0 ? moved.index : undefined;
  const hasOptions = isOpen && count > 0;
  const announced = useDebounced(isOpen && !isEmpty ? statusOf(count, state) : "", count === 0 ? 0 : DEBOUNCE_MS);

  useEffect(() => {
    onChange({ hasOptions, announced, ...(hasOptions && active !== undefined && { active: optionId(active) }) });
  }, [onChange, hasOptions, active, announced]);
  useEffect(() => {
    if (isAwaited && state === "loaded") follow(0);
  }, [isAwaited, state]);
  useImperativeHandle(keys, () => ({
    move: (step) => {
      if (count === 0) return;
      const index = active === undefined ? (step > 0 ? 0 : count - 1) : (active + step + count) % count;
      setMoved({ typed, index });
      document.getElementById(optionId(index))?.scrollIntoView({ block: "nearest" });
    },
    follow: () => {
      const index = active ?? (isEmpty ? count : 0);
      if (index < count) follow(index);
      return isEmpty || count > 0 || state === "loaded";
    },
  }));

  if (!isOpen || (isEmpty && !hasOptions)) return null;
  return (
    <div className={css.popup}>
      {hasOptions && (
        <PlaceOptions
          groups={groups}
          active={active}
          onActive={(index) => {
            setMoved({ typed, index });
          }}
        />
      )}
      {!isEmpty && state === "loading" && <p>Loading cities…</p>}
      {!isEmpty && state === "failed" && (
        <p role="alert">
          <span>City search isn’t available right now. You can still search for a state.</span>{" "}
          <button
            type="button"
            className="button quiet"
            onClick={() => {
              focus();
              retry();
            }}
          >
            Try again
          </button>
        </p>
      )}
      <Remarks found={found} typed={typed} isNothing={count === 0 && state === "loaded"} />
    </div>
  );
}

/** What the popup says below its options. */
function Remarks({
  found,
  typed,
  isNothing,
}: {
  readonly found: FoundPlaces;
  readonly typed: string;
  readonly isNothing: boolean;
}): ReactElement | null {
  const hidden = found.cityCount - found.cities.length;
  if (hidden > 0) return <p>{`${String(hidden)} more. Keep typing.`}</p>;
  if (!isNothing) return null;
  return (
    <p>
      {/* In an element, so that it also changes on a page that the browser has translated. */}
      <span>
        {found.note ??
          `No state or city here matches “${typed}”. Neighborhoods, regions, and most places with fewer than 15,000 residents have no page.`}
      </span>{" "}
      {found.near ? (
        <Link to={statePath(found.near.name)}>{`See the cities of ${found.near.name}`}</Link>
      ) : (
        <Link to="/#states">See all 50 states</Link>
      )}
    </p>
  );
}
