import { useEffect, useState } from "react";

/** The current time, updated every half a minute, or as often as given. */
export function useNow(period = 30_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
    }, period);
    return () => {
      clearInterval(timer);
    };
  }, [period]);
  return now;
}
