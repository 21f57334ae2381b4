import { Button } from "@colonnade/design";
import { useState, type ReactElement } from "react";

/**
 * The first items of a list, and a button that shows as many again, so that no page has thousands of rows.
 *
 * @param label what the items are, as in `Show more sections`
 */
export function useShown<T>(
  items: readonly T[],
  size: number,
  label: string,
): readonly [readonly T[], ReactElement | null] {
  const [pages, setPages] = useState(1);
  const count = pages * size;
  const more =
    count < items.length ? (
      <p>
        <Button
          quiet
          className="small"
          onClick={() => {
            setPages(pages + 1);
          }}
        >
          Show more {label}
        </Button>{" "}
        <span className="muted">
          {count} of {items.length}
        </span>
      </p>
    ) : null;
  return [items.slice(0, count), more];
}
