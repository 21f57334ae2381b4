import { classes } from "@colonnade/design";
import { useHydrated } from "@colonnade/kit";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactElement } from "react";

import type { PlacePopup, PopupKeys, PopupState } from "./PlacePopup";
import css from "./PlaceSearch.module.css";

const NARROW = "(max-width: 40em)";

/** Id of the field. It is the same in every document, so that the shell finds the field again. */
const FIELD_ID = "place-search";

const NOTHING: PopupState = { hasOptions: false, announced: "" };

// Shared by the searches of all pages.
let LoadedPopup: typeof PlacePopup | undefined;

/** Loads the popup on request. */
function usePopup() {
  const [Popup, setPopup] = useState<typeof PlacePopup | undefined>(() => LoadedPopup);
  const [state, setState] = useState<"idle" | "loading" | "failed">("idle");
  const retry = (): void => {
    setState("loading");
    import("./PlacePopup").then(
      (module) => {
        LoadedPopup = module.PlacePopup;
        setPopup(() => LoadedPopup);
      },
      () => {
        setState("failed");
      },
    );
  };
  return {
    Popup,
    hasFailed: state === "failed" && !Popup,
    retry,
    load: (): void => {
      if (!Popup && state === "idle") retry();
    },
  };
}

/** What is typed, and what the keys of a combobox do. */
function usePlaceSearch() {
  const keys = useRef<PopupKeys>(null);
  const [query, setQuery] = useState("");
  const [isOpen, setOpen] = useState(false);
  // Enter was pressed before the cities were loaded.
  const [isAwaited, setAwaited] = useState(false);
  const typed = query.trim();
  const move = (step: 1 | -1): void => {
    if (isOpen) keys.current?.move(step);
    else setOpen(true);
  };
  const actions: Readonly<Partial<Record<string, () => void>>> = {
    ArrowDown() {
      move(1);
    },
    ArrowUp() {
      move(-1);
    },
    Enter() {
      if (isOpen && keys.current?.follow()) return;
      setOpen(true);
      setAwaited(typed !== "");
    },
    Escape() {
      if (isOpen) setOpen(false);
      else setQuery("");
    },
  };
  return {
    /** For the popup. */
    keys,
    query,
    typed,
    isOpen,
    isAwaited,
    setOpen,
    change: (value: string): void => {
      setQuery(value);
      setOpen(true);
      setAwaited(false);
    },
    onKeyDown: (event: KeyboardEvent): void => {
      const action = actions[event.key];
      // Keys that belong to an input method.
      if (!action || event.nativeEvent.isComposing) return;
      action();
      event.preventDefault();
    },
  };
}

interface Props {
  /** Whether only screen readers get the label, so that the search fits into a row. */
  readonly compact?: boolean;
}

/**
 * Search for a state or a city: a combobox whose options are links. What finds them is loaded on first use. Invisible
 * until hydration, removed without JavaScript.
 */
export function PlaceSearch({ compact = false }: Props): ReactElement {
  const element = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const hydrated = useHydrated();
  const { Popup, load, hasFailed, retry } = usePopup();
  const { query, isOpen, setOpen, change, onKeyDown, ...search } = usePlaceSearch();
  const [popup, setPopup] = useState(NOTHING);
  const isSearching = isOpen && search.typed !== "";
  const isShown = isSearching || popup.hasOptions;
  const focus = (): void => input.current?.focus();
  useEffect(() => {
    // Above the keyboard of a phone.
    if (isShown) element.current?.scrollIntoView({ block: matchMedia(NARROW).matches ? "start" : "nearest" });
  }, [isShown]);

  return (
    <div
      ref={element}
      role="search"
      aria-label="Places"
      className={classes("field", css.search, compact && css.compact, !hydrated && css.inert)}
      onPointerEnter={load}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setOpen(false);
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
          role="combobox"
          inputMode="search"
          enterKeyHint="go"
          autoComplete="off"
          autoCapitalize="words"
          spellCheck={false}
          placeholder={compact ? "Find a city or state" : "Try “Austin” or “TX”"}
          aria-autocomplete="list"
          aria-expanded={popup.hasOptions}
          aria-controls="place-search-places"
          aria-activedescendant={popup.active}
          value={query}
          onChange={(event) => {
            change(event.target.value);
            load();
          }}
          onFocus={load}
          onClick={() => {
            setOpen(true);
          }}
          onKeyDown={onKeyDown}
        />
        {Popup && <Popup {...search} isOpen={isOpen} onChange={setPopup} focus={focus} />}
        {hasFailed && isSearching && (
          <Failed
            retry={() => {
              focus();
              retry();
            }}
          />
        )}
      </div>
      <p role="status" className="visually-hidden">
        {popup.announced}
      </p>
    </div>
  );
}

function Failed({ retry }: { readonly retry: () => void }): ReactElement {
  return (
    <p role="alert" className="notice">
      <span>Search isn’t available right now.</span>{" "}
      <button type="button" className="button quiet" onClick={retry}>
        Try again
      </button>
    </p>
  );
}
