import { useEffect, useEffectEvent, useState } from "react";

/**
 * Counts down from `seconds`, then calls `onEnd` once. Pauses while the page is hidden, so that the visitor can always
 * stop it.
 *
 * @returns The remaining seconds.
 */
export function useCountdown(running: boolean, seconds: number, onEnd: () => void): number {
  const [remaining, setRemaining] = useState(seconds);
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    if (!running) return undefined;
    let next = seconds;
    const timer = setInterval(() => {
      if (document.hidden) return;
      next -= 1;
      setRemaining(next);
      if (next > 0) return;
      clearInterval(timer);
      end();
    }, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, [running, seconds]);
  return remaining;
}
