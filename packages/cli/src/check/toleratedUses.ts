import vm from "node:vm";

import { FORBIDDEN } from "./classify.js";
import { BUNDLE_NAME } from "./report.js";

const FRAME = new RegExp(`${BUNDLE_NAME.replaceAll(".", "\\.")}:\\d+:\\d+`);
/** The most uses in a task. Each one repeats a step. */
const MAX_USES = 50;

// `before` runs before globals.js and returns what runs after it: it wraps what globals.js has replaced.
const WRAP = `(isTolerated) => {
  const { apply, construct, defineProperty, get, has, ownKeys } = Reflect;
  // The same in each render, so that it causes no further problem.
  const STABLE = { __proto__: null, now: () => 0, random: () => 0, performance: { now: () => 0 } };
  const forbidden = ["Date", "Intl", "performance", "setTimeout", "setInterval", "setImmediate", "requestAnimationFrame",
    "requestIdleCallback", "fetch"];
  const holders = [Math, Date, Date.prototype, Number.prototype, BigInt.prototype, Array.prototype, String.prototype];
  const places = [...holders.flatMap((holder) => ownKeys(holder).map((key) => [holder, key])),
    ...forbidden.map((key) => [globalThis, key])].map(([holder, key]) => [holder, key, STABLE[key] ?? get(holder, key, Object(0))]);
  const attempt = (use, instead) => {
    try {
      return use();
    } catch (error) {
      if (!isTolerated(String(error?.message), String(error?.stack))) throw error;
      return instead();
    }
  };
  return () => {
    for (const [holder, key, real] of places) {
      const replaced = get(holder, key, Object(0));
      if (replaced === real || replaced === undefined || key === "constructor") continue;
      const value = new Proxy(replaced, {
        __proto__: null,
        apply: (target, self, values) => attempt(() => apply(target, self, values), () => real && apply(real, self, values)),
        construct: (target, values, newTarget) => attempt(() => construct(target, values, newTarget), () => construct(real, values.length > 0 ? values : [0])),
        get: (target, name) => attempt(() => target[name], () => real?.[name]),
        has: (target, name) => attempt(() => has(target, name), () => true),
      });
      defineProperty(holder, key, { value, configurable: true, writable: true, enumerable: holder === globalThis });
    }
  };
}`;

/**
 * The uses of what a render must not use, after their report. A step that runs again gets the result of the language for them, so
 * that it comes to the next one.
 */
export class ToleratedUses {
  readonly #frames = new Set<string>();

  /** Tolerates the use that threw an error. False if no use of this kind did, or it is tolerated already. */
  add(message: string, stack: string): boolean {
    const frame = FRAME.exec(stack)?.[0];
    if (!message.includes(FORBIDDEN) || frame === undefined || this.#frames.has(frame)) return false;
    if (this.#frames.size === MAX_USES) return false;
    this.#frames.add(frame);
    return true;
  }

  /** Prepares a context before globals.js runs. Returns what to call after it. */
  prepare(context: vm.Context): () => void {
    const wrap = new vm.Script(WRAP).runInContext(context) as (
      isTolerated: (message: string, stack: string) => boolean,
    ) => () => void;
    return wrap((message, stack) => message.includes(FORBIDDEN) && this.#frames.has(FRAME.exec(stack)?.[0] ?? ""));
  }
}
