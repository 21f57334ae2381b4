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

function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

const parse = (text: string, base?: string): string[] | undefined => {
  const url = parseUrl(text, base);
  return url && componentsOf(url);
};

const setPart = (text: string, part: string, value: string): string[] | undefined => {
  const url = parseUrl(text);
  // An invalid value leaves the URL unchanged, except that an invalid `href` throws.
  if (url && (part !== "href" || parseUrl(value))) Reflect.set(url, part, value);
  return url && componentsOf(url);
};

/** Native functions of the sandbox by the name of their global variable. */
export const URL_FUNCTIONS = {
  __parseUrl: parse,
  __setUrlPart: setPart,
  __parseQuery: (query: string): string[][] => [...new URLSearchParams(query)],
  __serializeQuery: (pairs: [string, string][]): string => new URLSearchParams(pairs).toString(),
};
