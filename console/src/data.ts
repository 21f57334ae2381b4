// What the console shows: read once, and again when an event says that it has changed.
import { createContext, useCallback, useContext, useEffect, useRef, useState } from "react";

import { call, isSignedOut, textOf } from "./api.js";
import { useStream, type Connection, type StreamState } from "./stream.js";
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

// While a rollout runs. Events come more often, but the gateway logs each call.
const MEASURE_MS = 15_000;

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

export interface Console extends Data {
  readonly session: SessionDescription;
  /** Whether the session permits an action on a section, or `*`. */
  readonly can: (action: string, section: string) => boolean;
  /** The number of minutes that charts show. */
  readonly range: number;
  readonly setRange: (range: number) => void;
  /** Reads everything again, after a change. */
  readonly reload: () => Promise<void>;
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
    get<DeploymentList>("/deployments"),
    get<readonly Section[]>("/sections"),
    get<HistoryPage>("/history?limit=50"),
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
  const seen = useRef<StreamState>(undefined);
  const measuredAt = useRef(0);

  const latest = useRef<Data>(null);

  const readAgain = useCallback(
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

  useEffect(() => {
    void readAgain(false);
    return () => running.current?.abort();
  }, [readAgain]);
  const reload = useCallback(() => readAgain(true), [readAgain]);

  const onState = (state: StreamState): void => {
    const before = seen.current;
    seen.current = state;
    setCurrentAt(Date.now());
    const isChange = before?.revision !== state.revision || before.entry !== state.entry || error !== null;
    const isRunning = (latest.current?.rollouts.length ?? 0) > 0;
    const isOld = isRunning && Date.now() - measuredAt.current >= MEASURE_MS;
    if (isChange || isOld || before.minute !== state.minute) void readAgain(isChange);
  };
  const connection = useStream(onState, onSignedOut);
  return { data, error, connection, currentAt, range, setRange, reload };
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
  const { actions, sections } = session;
  return actions.includes(action) && (sections.includes("*") || sections.includes(section));
}
