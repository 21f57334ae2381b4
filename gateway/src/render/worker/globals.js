// What a render may use besides the language itself, and what it may not. Nothing here does input or output.
(() => {
  const { globalThis: G } = { globalThis };
  const parseUrl = G.__parseUrl;
  delete G.__parseUrl;

  // Each of these would make a render differ between two calls, or between here and the browser.
  const forbid = (name) => () => {
    throw new Error(
      `${name} was called while a page was rendered. A page is pure: the section contract forbids window, timers, ` +
        "fetch, clock, time zone, randomness and locale-dependent formatting during data, head, layout and render; today " +
        "is site.today",
    );
  };
  const TheDate = Date;
  const now = forbid("the clock (new Date() or Date.now())");
  const local = forbid("the time zone (a date without Z or an offset, or of several numbers; Date.UTC() takes those)");
  const isLocal = (values) =>
    values.length > 1 ||
    (typeof values[0] === "string" && !/^[+-]?\d{4,6}(-\d\d){0,2}$|(Z|[+-]\d\d:?\d\d|GMT|UTC)$/i.test(values[0]));
  const parse = (text) => (isLocal([String(text)]) ? local() : TheDate.parse(text));
  G.Date = new Proxy(TheDate, {
    apply: now,
    construct(target, values, newTarget) {
      if (values.length === 0) now();
      if (isLocal(values)) local();
      return Reflect.construct(target, values, newTarget);
    },
    get: (target, key, receiver) => ({ now, parse })[key] ?? Reflect.get(target, key, receiver),
  });
  TheDate.prototype.constructor = G.Date;
  Math.random = forbid("Math.random()");
  // Here it is UTC, and in the browser whatever the visitor's is: their counterparts with UTC in their names do.
  const inTheTimeZone = Object.getOwnPropertyNames(TheDate.prototype).filter(
    (key) =>
      /^(get|set)(Date|Day|FullYear|Hours|Minutes|Month|Year|TimezoneOffset)$/.test(key) ||
      ["toString", "toDateString", "toTimeString"].includes(key),
  );
  for (const [prototype, keys] of [
    [TheDate.prototype, ["toLocaleString", "toLocaleDateString", "toLocaleTimeString", ...inTheTimeZone]],
    [Number.prototype, ["toLocaleString"]],
    [BigInt.prototype, ["toLocaleString"]],
    [Array.prototype, ["toLocaleString"]],
    [String.prototype, ["localeCompare", "toLocaleLowerCase", "toLocaleUpperCase"]],
  ]) {
    for (const key of keys)
      Object.defineProperty(prototype, key, { value: forbid(`${key}()`), configurable: true, writable: true });
  }
  for (const name of [
    "setTimeout",
    "setInterval",
    "setImmediate",
    "requestAnimationFrame",
    "requestIdleCallback",
    "fetch",
  ])
    G[name] = forbid(`${name}()`);
  Object.defineProperty(G, "Intl", { get: forbid("Intl"), configurable: true });
  Object.defineProperty(G, "performance", { get: forbid("performance"), configurable: true });
  const random = forbid("crypto (randomness)");
  G.crypto = { randomUUID: random, getRandomValues: random, subtle: undefined };
  G.clearTimeout = G.clearInterval = () => undefined;
  // What is logged on the server nobody reads, and it could hold anything.
  G.console = Object.fromEntries(
    ["log", "info", "warn", "error", "debug", "trace"].map((level) => [level, () => undefined]),
  );
  G.queueMicrotask ??= (job) => void Promise.resolve().then(job);

  class URLSearchParams {
    #pairs = [];
    constructor(from = "") {
      if (typeof from === "string") {
        const decode = (text) => {
          const spaced = text.replaceAll("+", " ");
          try {
            return decodeURIComponent(spaced);
          } catch {
            return spaced;
          }
        };
        for (const part of from.replace(/^\?/, "").split("&")) {
          if (part === "") continue;
          const at = part.indexOf("=");
          this.#pairs.push(at < 0 ? [decode(part), ""] : [decode(part.slice(0, at)), decode(part.slice(at + 1))]);
        }
      } else {
        const pairs = typeof from[Symbol.iterator] === "function" ? from : Object.entries(from);
        for (const [key, value] of pairs) this.#pairs.push([String(key), String(value)]);
      }
    }
    append(key, value) {
      this.#pairs.push([String(key), String(value)]);
    }
    delete(key) {
      this.#pairs = this.#pairs.filter(([other]) => other !== key);
    }
    get(key) {
      return this.#pairs.find(([other]) => other === key)?.[1] ?? null;
    }
    getAll(key) {
      return this.#pairs.filter(([other]) => other === key).map(([, value]) => value);
    }
    has(key) {
      return this.#pairs.some(([other]) => other === key);
    }
    set(key, value) {
      this.delete(key);
      this.append(key, value);
    }
    forEach(each, self) {
      for (const [key, value] of this.#pairs) each.call(self, value, key, this);
    }
    *entries() {
      for (const pair of this.#pairs) yield [...pair];
    }
    *keys() {
      for (const [key] of this.#pairs) yield key;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    get size() {
      return this.#pairs.length;
    }
    toString() {
      const encode = (text) =>
        encodeURIComponent(text)
          .replaceAll("%20", "+")
          .replace(/[!'()~]/g, escape);
      return this.#pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join("&");
    }
  }

  const PARTS = ["href", "protocol", "host", "hostname", "port", "pathname", "search", "hash", "origin"];
  class URL {
    constructor(address, base) {
      const parts = parseUrl(String(address), base === undefined ? undefined : String(base));
      if (!parts) throw new TypeError(`Invalid URL: ${address}`);
      PARTS.forEach((part, index) => (this[part] = parts[index]));
      this.searchParams = new URLSearchParams(this.search);
    }
    static canParse(address, base) {
      return Boolean(parseUrl(String(address), base === undefined ? undefined : String(base)));
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
  }

  class TextEncoder {
    encode(text = "") {
      const bytes = unescape(encodeURIComponent(text));
      return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
    }
  }
  Object.assign(G, { URL, URLSearchParams, TextEncoder });
})();
