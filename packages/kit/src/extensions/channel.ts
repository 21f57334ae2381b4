import { useLayoutEffect, useState } from "react";

import { allChannels, type LastValue, type SharedChannel } from "../channels.js";

/** A stream of values between sections of a page. */
export interface Channel<Value> {
  /** Sends a value to all subscribers, and keeps it for later ones. Call it in effects and event handlers. */
  readonly publish: (value: Value) => void;
  /**
   * Calls the listener with each value, first with the last one of this page, if there is one. A listener that throws does not
   * keep others from the value. Returns a function that ends the subscription.
   */
  readonly subscribe: (listener: (value: Value) => void) => () => void;
  /** Returns the last value of this page, in a component. Undefined on the server, in the first render, and before the first value. */
  readonly useLast: () => Value | undefined;
}

/** The type of a channel's values. */
export type ChannelValue<C> = C extends Channel<infer Value> ? Value : never;

function notify(listener: (last: LastValue | undefined) => void, last: LastValue | undefined): void {
  try {
    listener(last);
  } catch (error) {
    reportError(error);
  }
}

function channelOf(name: string): SharedChannel {
  const channels = allChannels();
  const channel: SharedChannel = channels.get(name) ?? {
    listeners: new Set(),
    set(last) {
      channel.last = last;
      for (const listener of [...channel.listeners]) notify(listener, last);
    },
  };
  channels.set(name, channel);
  return channel;
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
  const listen = (listener: (last: LastValue | undefined) => void): (() => void) => {
    const channel = channelOf(name);
    // One entry for each subscription, even of the same function.
    const entry: typeof listener = (last) => {
      listener(last);
    };
    channel.listeners.add(entry);
    notify(entry, channel.last);
    return () => {
      channel.listeners.delete(entry);
    };
  };
  return {
    publish(value) {
      channelOf(name).set({ value });
    },
    subscribe: (listener) =>
      listen((last) => {
        if (last) listener(last.value as Value);
      }),
    useLast() {
      // None in the first render: the next page renders before it replaces the current one.
      const [shown, show] = useState<LastValue>();
      // oxlint-disable-next-line react/exhaustive-deps -- Each channel has its own.
      useLayoutEffect(() => listen(show), [listen]);
      return shown?.value as Value | undefined;
    },
  };
}
