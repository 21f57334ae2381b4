import { Button, Notice } from "@colonnade/design";
import { useState, type ReactElement } from "react";

import { textOf } from "../api.js";
import { Message } from "./Message.js";

/** A part of a list, and the `before` of the next one. */
interface OlderPage<T> {
  readonly items: readonly T[];
  readonly next: number | null;
}

interface Older<T> {
  /** What was read so far. A change moves items here from the first page, so some may be in both. */
  readonly items: readonly T[];
  /** The button that reads the next part, and what failed. */
  readonly more: ReactElement;
}

/**
 * Reads the rest of a list, of which the console keeps the first page current.
 *
 * @param first the `next` of the first page
 * @param label the text of the button
 */
export function useOlder<T>(
  first: number | null,
  label: string,
  read: (before: number) => Promise<OlderPage<T>>,
): Older<T> {
  const [items, setItems] = useState<readonly T[]>([]);
  const [next, setNext] = useState<number | null>();
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const cursor = next === undefined ? first : next;

  const readMore = async (before: number): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const page = await read(before);
      setItems([...items, ...page.items]);
      setNext(page.next);
    } catch (failure) {
      setError(textOf(failure));
    }
    setBusy(false);
  };

  const more = (
    <>
      {error !== undefined && (
        <Notice kind="error" role="alert">
          <p>
            <Message>{error}</Message>
          </p>
        </Notice>
      )}
      {cursor !== null && (
        <p>
          <Button quiet className="small" busy={busy} onClick={() => void readMore(cursor)}>
            {label}
          </Button>
        </p>
      )}
    </>
  );
  return { items, more };
}
