import { Button, Dialog } from "@colonnade/design";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactElement } from "react";

import { navigate } from "../router.js";
import { search, type Found, type Searched } from "./search.js";

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The button that opens the search, which its keys open, too. */
export function Search({ searched }: { readonly searched: Searched }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      // The keys close no dialog with a change.
      if (!document.querySelector("dialog[open]")) setOpen(true);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
    };
  }, []);
  return (
    <>
      <Button
        quiet
        className="small search-button"
        aria-keyshortcuts="Meta+K Control+K"
        onClick={() => {
          setOpen(true);
        }}
      >
        Search{" "}
        <kbd aria-hidden="true" className="optional">
          {IS_MAC ? "⌘K" : "Ctrl+K"}
        </kbd>
      </Button>
      {isOpen && (
        <SearchDialog
          searched={searched}
          close={() => {
            setOpen(false);
          }}
        />
      )}
    </>
  );
}

interface SearchDialogProps {
  readonly searched: Searched;
  readonly close: () => void;
}

function SearchDialog({ searched, close }: SearchDialogProps): ReactElement {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const results = search(searched, text);
  // The dialog focuses its heading before.
  useEffect(() => {
    input.current?.focus();
  }, []);
  const open = ({ href }: Found): void => {
    close();
    navigate(href);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = results.length - 1;
    const chosen = results[active];
    if (event.key === "Enter" && chosen) open(chosen);
    else if (event.key === "ArrowDown") setActive(active >= last ? 0 : active + 1);
    else if (event.key === "ArrowUp") setActive(active <= 0 ? last : active - 1);
    else return;
    event.preventDefault();
  };
  const optionId = (index: number): string => `${id}-${String(index)}`;
  return (
    <Dialog open close={close} heading="Search">
      <div className="field">
        <label htmlFor={`${id}-input`}>Page, section, path, release or deployment</label>
        <div className="field-control">
          <input
            ref={input}
            id={`${id}-input`}
            type="text"
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={results.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={results.length > 0 ? optionId(active) : undefined}
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              setActive(0);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
      </div>
      <ul id={`${id}-list`} role="listbox" aria-label="Results" className="results">
        {results.map((found, index) => (
          <Option
            key={found.href}
            id={optionId(index)}
            found={found}
            isActive={index === active}
            choose={() => {
              open(found);
            }}
          />
        ))}
      </ul>
      <p role="status" className={results.length > 0 ? "visually-hidden" : "empty"}>
        {results.length === 0 ? "Nothing fits." : `${String(results.length)} results`}
      </p>
    </Dialog>
  );
}

interface OptionProps {
  readonly id: string;
  readonly found: Found;
  readonly isActive: boolean;
  readonly choose: () => void;
}

function Option({ id, found, isActive, choose }: OptionProps): ReactElement {
  const element = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    <li ref={element} id={id} role="option" aria-selected={isActive} onClick={choose}>
      <span className="rule">{found.kind}</span> <b>{found.label}</b> <span className="muted">{found.detail}</span>
    </li>
  );
}
