/** The last value of a channel. */
export interface LastValue {
  readonly value: unknown;
}

/** A channel, as all sections of a page share it. */
export interface SharedChannel {
  /** Each is called with a new value, or without one when another page is shown. */
  readonly listeners: Set<(last: LastValue | undefined) => void>;
  last?: LastValue | undefined;
  /** Sets the last value, and calls the listeners. */
  readonly set: (last: LastValue | undefined) => void;
}

// Each section bundles this module, and all share the channels.
const KEY = Symbol.for("colonnade.channels");

const shared = globalThis as { [KEY]?: Map<string, SharedChannel> };

/** Returns the channels of the document, by name. */
export function allChannels(): Map<string, SharedChannel> {
  return (shared[KEY] ??= new Map());
}

/** Forgets the last values of all channels. Call it when another page is shown, before its effects run. */
export function clearChannels(): void {
  shared[KEY]?.forEach(({ set }) => {
    set(undefined);
  });
}
