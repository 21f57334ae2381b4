import { useEffect, useState } from "react";

/** Returns `text` once it has not changed for `delayMs`. */
export function useDebounced(text: string, delayMs: number): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(setDebounced, delayMs, text);
    return () => {
      clearTimeout(timer);
    };
  }, [text, delayMs]);
  return debounced;
}
