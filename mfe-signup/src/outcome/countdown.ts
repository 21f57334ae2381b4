import { useEffect, useEffectEvent, useState } from "react";

/**
 * Counts whole seconds down to none, and then calls `onEnd` once. It rests while nobody can see it: a
 * countdown that may be stopped must be seen.
 *
 * @returns The seconds that are left.
 */
export function useCountdown(running: boolean, seconds: number, onEnd: () => void): number {
  const [left, setLeft] = useState(seconds);
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    if (!running) return undefined;
    let rest = seconds;
    const timer = setInterval(() => {
      if (document.hidden) return;
      rest -= 1;
      setLeft(rest);
      if (rest > 0) return;
      clearInterval(timer);
      end();
    }, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, [running, seconds]);
  return left;
}
