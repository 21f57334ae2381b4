// The gateway's events, and whether they still arrive.
import { useEffect, useRef, useState } from "react";

import { ApiError, call } from "./api.js";
import type { SessionDescription } from "./openapi.js";

/** `lost`: what the page shows may be out of date. */
export type Connection = "connecting" | "live" | "lost";

// The gateway sends an event or a ping at least every 5 seconds. A stream that it ends is open again within 2 seconds.
const SILENCE_MS = 15_000;
const GRACE_MS = 4_000;
const RETRY_MS = 2_000;

/**
 * Calls `onEvent` for every event with its position, which changes with each one that is recorded, and `onSignedOut` when the session
 * has ended. Returns whether events arrive.
 */
export function useStream(onEvent: (position: string) => void, onSignedOut: () => void): Connection {
  const [connection, setConnection] = useState<Connection>("connecting");
  const handlers = useRef({ onEvent, onSignedOut });
  useEffect(() => {
    handlers.current = { onEvent, onSignedOut };
  });

  useEffect(() => {
    let source: EventSource | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let silence: ReturnType<typeof setTimeout> | undefined;
    let isFailing = false;
    let ended = false;

    const lostAfter = (delay: number): void => {
      clearTimeout(silence);
      silence = setTimeout(() => {
        setConnection("lost");
      }, delay);
    };
    const open = (): void => {
      source = new EventSource("/api/v1/events");
      const received = ({ lastEventId }: MessageEvent): void => {
        isFailing = false;
        lostAfter(SILENCE_MS);
        setConnection("live");
        handlers.current.onEvent(lastEventId);
      };
      source.addEventListener("message", received);
      source.addEventListener("ping", received);
      source.addEventListener("error", () => {
        // The browser reconnects unless the response was an error. An event source does not reveal which one.
        source?.close();
        // A gateway that shuts down refuses each new stream: the time counts from the first failure.
        if (!isFailing) lostAfter(GRACE_MS);
        isFailing = true;
        clearTimeout(retry);
        retry = setTimeout(() => void reopen(), RETRY_MS);
      });
    };
    const reopen = async (): Promise<void> => {
      try {
        await call<SessionDescription>("GET", "/session");
      } catch (error) {
        if (ended) return;
        if (error instanceof ApiError && error.status === 401) handlers.current.onSignedOut();
        else retry = setTimeout(() => void reopen(), RETRY_MS);
        return;
      }
      if (!ended) open();
    };
    lostAfter(SILENCE_MS);
    open();
    return () => {
      ended = true;
      source?.close();
      clearTimeout(retry);
      clearTimeout(silence);
    };
  }, []);
  return connection;
}
