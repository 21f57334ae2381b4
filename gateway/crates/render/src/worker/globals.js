// The global objects of a render, in addition to the language itself. None of them performs input or output.
(() => {
  const G = globalThis;
  // A module can replace each global and each method. What is forbidden depends only on those that are captured here.
  const { Date: TheDate, Error, Promise, RangeError, String, TypeError } = G;
  const { apply, construct } = Reflect;
  const { parse: parseDate } = TheDate;
  const { getTime } = TheDate.prototype;
  const { exec } = RegExp.prototype;
  const { toWellFormed } = String.prototype;
  const takeGlobal = (name) => {
    const { [name]: value } = G;
    delete G[name];
    return value;
  };
  // The native functions use memory that the engine's limit does not cover. Their result is at most a fixed multiple of
  // these lengths.
  const MAX_URL_LENGTH = 65_536;
  const checkLength = (length) => {
    if (length > MAX_URL_LENGTH) throw new RangeError(`the URL is longer than ${MAX_URL_LENGTH} characters`);
  };
  const bounded =
    (native) =>
    (...texts) => {
      let length = 0;
      for (let index = 0; index < texts.length; index++) length += texts[index]?.length ?? 0;
      checkLength(length);
      return apply(native, undefined, texts);
    };
  const parseUrl = bounded(takeGlobal("__parseUrl"));
  const setUrlPart = bounded(takeGlobal("__setUrlPart"));
  const parseQuery = bounded(takeGlobal("__parseQuery"));
  const serializePair = bounded(takeGlobal("__serializePair"));
  const serializeQuery = (pairs) => {
    let query = "";
    let length = 0;
    for (let index = 0; index < pairs.length; index++) {
      const key = pairs[index][0];
      const value = pairs[index][1];
      length += key.length + value.length + 2;
      checkLength(length);
      query += (index > 0 ? "&" : "") + serializePair(key, value);
    }
    return query;
  };

  // These functions could make two renders of a page differ, or the server's render and the browser's.
  const forbid = (name) => () => {
    throw new Error(
      `${name} was used during a render. Pages must be pure: the section contract forbids window, timers, fetch, the ` +
        "clock, the time zone, randomness and locale-dependent formatting in data, head, layout and render. The current " +
        "date is site.today.",
    );
  };
  const now = forbid("the clock (new Date() or Date.now())");
  const local = forbid("the time zone (a date without Z or an offset, or of several numbers; Date.UTC() takes those)");
  const ABSOLUTE = /^[+-]?\d{4,6}(-\d\d){0,2}$|(Z|[+-]\d\d:?\d\d|GMT|UTC)$/i;
  const checkText = (text) => {
    if (apply(exec, ABSOLUTE, [text]) === null) local();
    return text;
  };
  const isDate = (value) => {
    try {
      apply(getTime, value, []);
      return true;
    } catch {
      return false;
    }
  };
  // An object is converted once: its text could differ the next time.
  const checkDate = (value) => {
    const isObject = typeof value === "function" || (typeof value === "object" && value !== null);
    const primitive = isObject && !isDate(value) ? String(value) : value;
    return typeof primitive === "string" ? checkText(primitive) : primitive;
  };
  TheDate.now = now;
  TheDate.parse = (text) => parseDate(checkText(String(text)));
  // A module can add members to Object.prototype: a handler that inherited them would pass TheDate to the module.
  G.Date = new Proxy(TheDate, {
    __proto__: null,
    apply: now,
    construct(target, values, newTarget) {
      if (values.length === 0) now();
      if (values.length > 1) local();
      return construct(target, [checkDate(values[0])], newTarget);
    },
  });
  TheDate.prototype.constructor = G.Date;
  Math.random = forbid("Math.random()");
  // They use the local time zone, which differs between the server and the browser. Use the UTC methods instead.
  const timeZoneMethods = Object.getOwnPropertyNames(TheDate.prototype).filter(
    (key) =>
      /^(get|set)(Date|Day|FullYear|Hours|Minutes|Month|Year|TimezoneOffset)$/.test(key) ||
      ["toString", "toDateString", "toTimeString"].includes(key),
  );
  for (const [prototype, keys] of [
    [TheDate.prototype, ["toLocaleString", "toLocaleDateString", "toLocaleTimeString", ...timeZoneMethods]],
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
  // These objects exist, so that libraries can detect them, but any use is an error.
  for (const name of ["Intl", "performance"])
    G[name] = new Proxy({}, { __proto__: null, get: forbid(name), has: forbid(name) });
  const random = forbid("crypto (randomness)");
  G.crypto = { randomUUID: random, getRandomValues: random, subtle: undefined };
  G.clearTimeout = G.clearInterval = () => undefined;
  // Console output is discarded: it could contain personal data.
  G.console = Object.fromEntries(
    ["log", "info", "warn", "error", "debug", "trace"].map((level) => [level, () => undefined]),
  );
  G.queueMicrotask ??= (job) => void Promise.resolve().then(job);

  const toUsvString = (value) => apply(toWellFormed, String(value), []);

  class URLSearchParams {
    #pairs = [];
    #onChange = () => undefined;
    constructor(from = "") {
      if (typeof from === "object" && from !== null) {
        const pairs = typeof from[Symbol.iterator] === "function" ? from : Object.entries(from);
        for (const pair of pairs) {
          const [key, value, ...more] = pair;
          if (value === undefined || more.length > 0) throw new TypeError("each pair must be a key and a value");
          this.#pairs.push([toUsvString(key), toUsvString(value)]);
        }
      } else this.#pairs = parseQuery(toUsvString(from).replace(/^\?/, ""));
    }
    // Creates the parameters of a URL. They report every change to it.
    static of(query, onChange) {
      const params = new URLSearchParams(query);
      params.#onChange = onChange;
      return params;
    }
    static read(params, query) {
      params.#pairs = parseQuery(query.replace(/^\?/, ""));
    }
    #replace(pairs) {
      this.#pairs = pairs;
      this.#onChange(this.toString());
    }
    append(key, value) {
      this.#replace([...this.#pairs, [toUsvString(key), toUsvString(value)]]);
    }
    delete(key, value) {
      this.#replace(this.#pairs.filter((pair) => !matches(pair, key, value)));
    }
    get(key) {
      return this.#pairs.find((pair) => matches(pair, key))?.[1] ?? null;
    }
    getAll(key) {
      return this.#pairs.filter((pair) => matches(pair, key)).map(([, value]) => value);
    }
    has(key, value) {
      return this.#pairs.some((pair) => matches(pair, key, value));
    }
    set(key, value) {
      const first = this.#pairs.findIndex((pair) => matches(pair, key));
      if (first < 0) this.append(key, value);
      else
        this.#replace(
          this.#pairs
            .map((pair, index) => (index === first ? [pair[0], toUsvString(value)] : pair))
            .filter((pair, index) => index <= first || !matches(pair, key)),
        );
    }
    sort() {
      this.#replace(this.#pairs.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)));
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
      return serializeQuery(this.#pairs);
    }
  }
  const matches = ([key, value], expectedKey, expectedValue) =>
    key === toUsvString(expectedKey) && (expectedValue === undefined || value === toUsvString(expectedValue));
  // Only URL uses these functions.
  const { of: paramsOf, read: readParams } = URLSearchParams;
  delete URLSearchParams.of;
  delete URLSearchParams.read;

  const PARTS = "href origin protocol username password host hostname port pathname search hash".split(" ");
  class URL {
    #parts;
    #searchParams;
    constructor(url, base) {
      this.#parts = parseUrl(toUsvString(url), base === undefined ? undefined : toUsvString(base));
      if (!this.#parts) throw new TypeError(`Invalid URL: ${url}`);
      this.#searchParams = paramsOf(this.search, (query) => this.#change("search", query));
    }
    static canParse(url, base) {
      return Boolean(parseUrl(toUsvString(url), base === undefined ? undefined : toUsvString(base)));
    }
    static parse(url, base) {
      return URL.canParse(url, base) ? new URL(url, base) : null;
    }
    static part(url, index) {
      return url.#parts[index];
    }
    static change(url, part, value) {
      if (part === "href" && !URL.canParse(value)) throw new TypeError(`Invalid URL: ${value}`);
      url.#change(part, toUsvString(value));
      readParams(url.#searchParams, url.search);
    }
    #change(part, value) {
      this.#parts = setUrlPart(this.href, part, value);
    }
    get searchParams() {
      return this.#searchParams;
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
  }
  const { part: partOf, change: changePart } = URL;
  delete URL.part;
  delete URL.change;
  PARTS.forEach((part, index) =>
    Object.defineProperty(URL.prototype, part, {
      get() {
        return partOf(this, index);
      },
      set:
        part === "origin"
          ? undefined
          : function (value) {
              changePart(this, part, value);
            },
      configurable: true,
      enumerable: true,
    }),
  );

  class TextEncoder {
    encode(value = "") {
      const bytes = unescape(encodeURIComponent(toUsvString(value)));
      return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
    }
  }
  Object.assign(G, { URL, URLSearchParams, TextEncoder });
})();
