import { useEffect, useState } from "react";

/** A text as it is once it has not changed for a while. */
export function useSettled(text: string, pauseMs: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(setSettled, pauseMs, text);
    return () => {
      clearTimeout(timer);
    };
  }, [text, pauseMs]);
  return settled;
}
