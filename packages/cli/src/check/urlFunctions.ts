// The functions that globals.js takes from the global object, with Node's URL classes in place of the gateway's.
const PARTS = [
  "href",
  "origin",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const;

function componentsOf(url: URL): string[] {
  return PARTS.map((part) => url[part]);
}

function parseUrl(text: string, base?: string | null): URL | undefined {
  try {
    return new URL(text, base ?? undefined);
  } catch {
    return undefined;
  }
}

const parse = (text: string, base?: string | null): string[] | undefined => {
  const url = parseUrl(text, base);
  return url && componentsOf(url);
};

const setPart = (text: string, part: string, value: string): string[] | undefined => {
  const url = parseUrl(text);
  // An invalid value leaves the URL unchanged, except that an invalid `href` throws.
  if (url && (part !== "href" || parseUrl(value))) Reflect.set(url, part, value);
  return url && componentsOf(url);
};

const FUNCTIONS: Readonly<Record<string, (...args: never[]) => unknown>> = {
  __parseUrl: parse,
  __setUrlPart: setPart,
  __parseQuery: (query: string): string[][] => [...new URLSearchParams(query)],
  __serializePair: (key: string, value: string): string => new URLSearchParams([[key, value]]).toString(),
};

/**
 * Calls a function. Arguments and result are JSON, and it never throws, so that no object of Node gets into the sandbox.
 * Undefined if the function fails or returns nothing.
 */
export function callUrlFunction(name: string, args: string): string | undefined {
  try {
    const call = FUNCTIONS[name] as (...args: unknown[]) => unknown;
    return JSON.stringify(call(...(JSON.parse(args) as unknown[])));
  } catch {
    return undefined;
  }
}

/** Names of the functions, which globals.js takes from the global object. */
export const URL_FUNCTIONS = Object.keys(FUNCTIONS);
