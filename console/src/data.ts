// What the console shows: read once, and again when an event says that it has changed.
import { createContext, useCallback, useContext, useEffect, useRef, useState } from "react";

import { call, isSignedOut, textOf } from "./api.js";
import { useStream, type Connection } from "./stream.js";
import type {
  DeploymentList,
  ExtensionDescription,
  GatewayDescription,
  HistoryPage,
  Rollout,
  Section,
  SessionDescription,
  TrafficPage,
} from "./openapi.js";

/** The times that charts can show, in minutes. */
export const RANGES = [60, 360, 1440] as const;

// While a rollout runs. Pings come more often, but the gateway logs each call.
const MEASURE_MS = 15_000;
// Charts have a point for each minute.
const MINUTE_MS = 60_000;

// More than there are in an hour, which lists can be limited to.
const CHANGES = 200;

/** How many deployments a page has. */
export const DEPLOYMENTS = 50;

/** A rollout in the list of rollouts, which has its analysis. */
export type RunningRollout = Rollout & Required<Pick<Rollout, "analysis">>;

export interface Data {
  readonly deployments: DeploymentList;
  readonly rollouts: readonly RunningRollout[];
  readonly sections: readonly Section[];
  readonly history: HistoryPage;
  readonly extensions: readonly ExtensionDescription[];
  readonly gateway: GatewayDescription;
  readonly traffic: TrafficPage;
}

/** What a change did, in words. */
export interface Outcome {
  readonly text: string;
  /** What did not prevent it. */
  readonly warnings?: readonly string[];
}

export interface Console extends Data {
  readonly session: SessionDescription;
  /** Whether the session permits an action on a section, or `*`. */
  readonly can: (action: string, section: string) => boolean;
  /** The number of minutes that charts show. */
  readonly range: number;
  readonly setRange: (range: number) => void;
  /** Reads everything again, after a change. */
  readonly reload: () => Promise<void>;
  /** Shows what a change did, until another page is opened. */
  readonly announce: (outcome: Outcome) => void;
}

/** The state of the data. */
export interface Loaded {
  readonly data: Data | null;
  /** Why the last read failed. */
  readonly error: string | null;
  readonly connection: Connection;
  /** When the data was last known to be current. */
  readonly currentAt: number;
  readonly range: number;
  readonly setRange: (range: number) => void;
  readonly reload: () => Promise<void>;
}

/** Reads everything, or with `known` only what changes without an event of the live state. */
async function read(known: Data | null, minutes: number, signal: AbortSignal): Promise<Data> {
  const get = <Result>(path: string): Promise<Result> => call<Result>("GET", path, { signal });
  const measure = async (): Promise<Pick<Data, "rollouts" | "extensions" | "gateway" | "traffic">> => {
    const [rollouts, extensions, gateway, traffic] = await Promise.all([
      get<readonly RunningRollout[]>("/rollouts"),
      get<readonly ExtensionDescription[]>("/extensions"),
      get<GatewayDescription>("/gateway"),
      get<TrafficPage>(`/traffic?minutes=${String(minutes)}`),
    ]);
    return { rollouts, extensions, gateway, traffic };
  };
  if (known) return { ...known, ...(await measure()) };
  const [deployments, sections, history, measured] = await Promise.all([
    get<DeploymentList>(`/deployments?limit=${String(DEPLOYMENTS)}`),
    get<readonly Section[]>("/sections"),
    get<HistoryPage>(`/history?limit=${String(CHANGES)}`),
    measure(),
  ]);
  return { deployments, sections, history, ...measured };
}

/** Reads the data, and keeps it current. Calls `onSignedOut` when the session has ended. */
export function useData(onSignedOut: () => void): Loaded {
  const [data, setData] = useState<Data | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [currentAt, setCurrentAt] = useState(() => Date.now());
  const [range, setRange] = useState<number>(RANGES[0]);
  const running = useRef<AbortController>(undefined);
  const newest = useRef<Promise<void>>(undefined);
  const seen = useRef<string>(undefined);
  const measuredAt = useRef(0);

  const latest = useRef<Data>(null);

  const start = useCallback(
    async (isChange: boolean): Promise<void> => {
      // A read that is replaced before it ends may have been the one of a change.
      if (isChange) latest.current = null;
      // Only the newest read counts: an older one may have begun before the change.
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      measuredAt.current = Date.now();
      try {
        const next = await read(latest.current, range, controller.signal);
        if (controller.signal.aborted) return;
        latest.current = next;
        setData(next);
        setError(null);
        setCurrentAt(Date.now());
      } catch (failure) {
        if (controller.signal.aborted) return;
        if (isSignedOut(failure)) onSignedOut();
        else setError(textOf(failure));
      }
    },
    [range, onSignedOut],
  );

  // Ends when the data is current: with the read that replaced this one, if there is one.
  const readAgain = useCallback(
    async (isChange: boolean): Promise<void> => {
      let read = start(isChange);
      newest.current = read;
      await read;
      while (read !== newest.current) {
        read = newest.current;
        await read;
      }
    },
    [start],
  );

  useEffect(() => {
    void readAgain(false);
    return () => running.current?.abort();
  }, [readAgain]);
  const reload = useCallback(() => readAgain(true), [readAgain]);

  const onEvent = (position: string): void => {
    const isChange = seen.current !== position || error !== null;
    seen.current = position;
    setCurrentAt(Date.now());
    const isRunning = (latest.current?.rollouts.length ?? 0) > 0;
    const isOld = Date.now() - measuredAt.current >= (isRunning ? MEASURE_MS : MINUTE_MS);
    if (isChange || isOld) void readAgain(isChange);
  };
  const connection = useStream(onEvent, onSignedOut);
  return { data, error, connection, currentAt, range, setRange, reload };
}

/** Something that one page alone shows. */
export interface Read<T> {
  readonly value: T | undefined;
  /** Why it cannot be read. */
  readonly error: string | undefined;
}

/**
 * Reads what one page alone shows, and again when `changed` has changed.
 *
 * @param path the call of the admin API
 */
export function useRead<T>(path: string, changed: unknown): Read<T> {
  const [read, setRead] = useState<Read<T> & { readonly path: string }>();
  useEffect(() => {
    const controller = new AbortController();
    call<T>("GET", path, { signal: controller.signal }).then(
      (value) => {
        setRead({ path, value, error: undefined });
      },
      (failure: unknown) => {
        if (!controller.signal.aborted) setRead({ path, value: undefined, error: textOf(failure) });
      },
    );
    return () => {
      controller.abort();
    };
  }, [path, changed]);
  return read?.path === path ? read : { value: undefined, error: undefined };
}

const ConsoleContext = createContext<Console | null>(null);

/** Provides the data to the pages. */
export const ConsoleProvider = ConsoleContext.Provider;

/** The data of the page. */
export function useConsole(): Console {
  const value = useContext(ConsoleContext);
  if (!value) throw new Error("there is no ConsoleProvider");
  return value;
}

/** Whether a session permits an action on a section, or `*` for all sections. */
export function permits(session: SessionDescription, action: string, section: string): boolean {
  return session.permissions.some(
    ({ actions, sections }) => actions.includes(action) && (sections.includes("*") || sections.includes(section)),
  );
}

/** What a session permits, as text. */
export function permissionsOf(session: SessionDescription): string {
  return session.permissions
    .map(
      ({ actions, sections }) =>
        `${actions.join(", ")} on ${sections.includes("*") ? "all sections" : sections.join(", ")}`,
    )
    .join("; ");
}
