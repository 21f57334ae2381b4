// What a render may use besides the language itself, and what it may not. Nothing here does input or output.
(() => {
  const G = globalThis;
  const given = (name) => {
    const { [name]: value } = G;
    delete G[name];
    return value;
  };
  const [parseUrl, changeUrl] = [given("__parseUrl"), given("__changeUrl")];
  const [parseQuery, writeQuery] = [given("__parseQuery"), given("__writeQuery")];

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
  const isText = (value) =>
    typeof value === "string" || (typeof value === "object" && value !== null && !(value instanceof TheDate));
  const isLocal = (values) =>
    values.length > 1 ||
    (isText(values[0]) && !/^[+-]?\d{4,6}(-\d\d){0,2}$|(Z|[+-]\d\d:?\d\d|GMT|UTC)$/i.test(String(values[0])));
  const parse = (text) => (isLocal([String(text)]) ? local() : TheDate.parse(text));
  G.Date = new Proxy(TheDate, {
    apply: now,
    construct(target, values, newTarget) {
      if (values.length === 0) now();
      if (isLocal(values)) local();
      return Reflect.construct(target, values, newTarget);
    },
    get: (target, key, receiver) =>
      key === "now" ? now : key === "parse" ? parse : Reflect.get(target, key, receiver),
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
  // They may be asked for, as by a library that looks what there is, and not used.
  for (const name of ["Intl", "performance"]) G[name] = new Proxy({}, { get: forbid(name), has: forbid(name) });
  const random = forbid("crypto (randomness)");
  G.crypto = { randomUUID: random, getRandomValues: random, subtle: undefined };
  G.clearTimeout = G.clearInterval = () => undefined;
  // What is logged on the server nobody reads, and it could hold anything.
  G.console = Object.fromEntries(
    ["log", "info", "warn", "error", "debug", "trace"].map((level) => [level, () => undefined]),
  );
  G.queueMicrotask ??= (job) => void Promise.resolve().then(job);

  const text = (value) => String(value).toWellFormed();

  class URLSearchParams {
    #pairs = [];
    #changed = () => undefined;
    constructor(from = "") {
      if (typeof from === "object" && from !== null) {
        const pairs = typeof from[Symbol.iterator] === "function" ? from : Object.entries(from);
        for (const pair of pairs) {
          const [key, value, ...more] = pair;
          if (value === undefined || more.length > 0) throw new TypeError("each pair is a key and a value");
          this.#pairs.push([text(key), text(value)]);
        }
      } else this.#pairs = parseQuery(text(from).replace(/^\?/, ""));
    }
    // The parameters of a URL tell it of every change.
    static of(query, changed) {
      const params = new URLSearchParams(query);
      params.#changed = changed;
      return params;
    }
    static read(params, query) {
      params.#pairs = parseQuery(query.replace(/^\?/, ""));
    }
    #put(pairs) {
      this.#pairs = pairs;
      this.#changed(this.toString());
    }
    append(key, value) {
      this.#put([...this.#pairs, [text(key), text(value)]]);
    }
    delete(key, value) {
      this.#put(this.#pairs.filter((pair) => !isOf(pair, key, value)));
    }
    get(key) {
      return this.#pairs.find((pair) => isOf(pair, key))?.[1] ?? null;
    }
    getAll(key) {
      return this.#pairs.filter((pair) => isOf(pair, key)).map(([, value]) => value);
    }
    has(key, value) {
      return this.#pairs.some((pair) => isOf(pair, key, value));
    }
    set(key, value) {
      const first = this.#pairs.findIndex((pair) => isOf(pair, key));
      if (first < 0) this.append(key, value);
      else
        this.#put(
          this.#pairs
            .map((pair, index) => (index === first ? [pair[0], text(value)] : pair))
            .filter((pair, index) => index <= first || !isOf(pair, key)),
        );
    }
    sort() {
      this.#put(this.#pairs.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)));
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
      return writeQuery(this.#pairs);
    }
  }
  const isOf = ([key, value], wanted, itsValue) =>
    key === text(wanted) && (itsValue === undefined || value === text(itsValue));
  // They are for URL alone.
  const { of: paramsOf, read: readParams } = URLSearchParams;
  delete URLSearchParams.of;
  delete URLSearchParams.read;

  const PARTS = "href origin protocol username password host hostname port pathname search hash".split(" ");
  class URL {
    #parts;
    #searchParams;
    constructor(address, base) {
      this.#parts = parseUrl(text(address), base === undefined ? undefined : text(base));
      if (!this.#parts) throw new TypeError(`Invalid URL: ${address}`);
      this.#searchParams = paramsOf(this.search, (query) => this.#change("search", query));
    }
    static canParse(address, base) {
      return Boolean(parseUrl(text(address), base === undefined ? undefined : text(base)));
    }
    static parse(address, base) {
      return URL.canParse(address, base) ? new URL(address, base) : null;
    }
    static part(url, index) {
      return url.#parts[index];
    }
    static change(url, part, value) {
      if (part === "href" && !URL.canParse(value)) throw new TypeError(`Invalid URL: ${value}`);
      url.#change(part, text(value));
      readParams(url.#searchParams, url.search);
    }
    #change(part, value) {
      this.#parts = changeUrl(this.href, part, value);
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
      const bytes = unescape(encodeURIComponent(text(value)));
      return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
    }
  }
  Object.assign(G, { URL, URLSearchParams, TextEncoder });
})();
