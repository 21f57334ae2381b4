import type { ReactElement, ReactNode } from "react";

import { countOf } from "../format.js";
import { replaceQuery, useQueryParameter } from "../router.js";

/** Whether a section has the name that the address asks for, so that a filtered page can be linked to. */
export function useNameFilter(): (name: string) => boolean {
  const text = useQueryParameter("q").toLowerCase();
  return (name) => name.includes(text);
}

interface NameFilterProps {
  /** How many sections fit. */
  readonly count: number;
  /** More filters. */
  readonly children?: ReactNode;
}

/** The filter of a list of sections by name. */
export function NameFilter({ count, children }: NameFilterProps): ReactElement {
  const text = useQueryParameter("q");
  return (
    <div className="filters">
      <label className="filter">
        Name
        <input
          type="search"
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => {
            replaceQuery({ q: target.value });
          }}
        />
      </label>
      {children}
      <p className="muted" role="status">
        {countOf(count, "section")}
      </p>
    </div>
  );
}
