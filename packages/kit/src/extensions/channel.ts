import { useCallback, useSyncExternalStore } from "react";

/** A stream of values between sections of a page. */
export interface Channel<Value> {
  /** Sends a value to all subscribers, and keeps it for later ones. Call it in effects and event handlers. */
  readonly publish: (value: Value) => void;
  /**
   * Calls the listener with each value, first with the last one of this page, if there is one. A listener that throws does not
   * keep others from the value. Returns a function that ends the subscription.
   */
  readonly subscribe: (listener: (value: Value) => void) => () => void;
  /** Returns the last value of this page, in a component. Undefined on the server, during hydration, and before the first value. */
  readonly useLast: () => Value | undefined;
}

/** The type of a channel's values. */
export type ChannelValue<C> = C extends Channel<infer Value> ? Value : never;

interface State {
  readonly listeners: Set<(value: unknown) => void>;
  last?: { readonly path: string; readonly value: unknown };
}

// Each section bundles this module, and all share the channels.
const KEY = Symbol.for("colonnade.channels");

function stateOf(name: string): State {
  const shared = globalThis as { [KEY]?: Map<string, State> };
  const channels = (shared[KEY] ??= new Map());
  const state: State = channels.get(name) ?? { listeners: new Set() };
  channels.set(name, state);
  return state;
}

/** The last value, unless it is one of another page. */
function lastOf({ last }: State): { readonly value: unknown } | undefined {
  return last?.path === location.pathname ? last : undefined;
}

function notify(listener: (value: unknown) => void, value: unknown): void {
  try {
    listener(value);
  } catch (error) {
    reportError(error);
  }
}

/**
 * Declares a channel. `name` is that of the section that publishes, a slash, and a name within it. Sections that declare the same
 * name share the channel. Values stay within the page: another page starts without any.
 *
 * @example
 * ```tsx
 * import { defineChannel } from "@colonnade/kit/extensions";
 *
 * const place = defineChannel<{ city: string }>("directory/place");
 *
 * export const Weather = () => <p>{place.useLast()?.city ?? "Choose a city"}</p>;
 * export const Choose = () => <button onClick={() => place.publish({ city: "Nome" })}>Nome</button>;
 * ```
 */
export function defineChannel<Value>(name: `${string}/${string}`): Channel<Value> {
  const subscribe = (listener: (value: Value) => void): (() => void) => {
    const state = stateOf(name);
    // One entry for each subscription, even of the same function.
    const entry = (value: unknown): void => {
      listener(value as Value);
    };
    state.listeners.add(entry);
    const last = lastOf(state);
    if (last) notify(entry, last.value);
    return () => {
      state.listeners.delete(entry);
    };
  };
  return {
    publish(value) {
      const state = stateOf(name);
      state.last = { path: location.pathname, value };
      for (const listener of [...state.listeners]) notify(listener, value);
    },
    subscribe,
    useLast() {
      const listen = useCallback((onChange: () => void) => subscribe(onChange), []);
      return useSyncExternalStore(
        listen,
        () => lastOf(stateOf(name))?.value as Value | undefined,
        () => undefined,
      );
    },
  };
}
