import { InvalidArgumentError, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";

/** The site of `make run`, and the default of commands that need a site. */
export const DEFAULT_SITE = "http://localhost:8080";

/** Whether `--json` is set. */
export function isJson(program: CommandUnknownOpts): boolean {
  const { json } = program.opts();
  return json === true;
}

/** Parses a whole number within limits. `advice` ends the message of an error. */
export function wholeNumber(what: string, min: number, max: number, advice = "."): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    const limits = max === Number.MAX_SAFE_INTEGER ? `${String(min)} or more` : `${String(min)} to ${String(max)}`;
    throw new InvalidArgumentError(`Expected ${what}, ${limits}${advice}`);
  };
}

export const parseDeploymentNumber = wholeNumber("a deployment number", 1, Number.MAX_SAFE_INTEGER);
/** Parses the share of visitors who get a candidate. */
export const parsePercent = (advice: string) => wholeNumber("a whole percentage", 0, 99, advice);

/** Parses a path on the site. */
export function parsePagePath(value: string): string {
  if (value.startsWith("/") && !value.startsWith("//")) return value;
  throw new InvalidArgumentError("Expected a path on the site, such as /hello.");
}

/** Creates the option of every command that changes what is live. */
export function reasonOption() {
  return new Option("--reason <text>", "reason, recorded in the history");
}

/** Parses the origin of a site. */
export function parseOrigin(value: string): string {
  if (URL.canParse(value)) {
    const { origin, protocol, pathname, search, hash, username, password } = new URL(value);
    const isOrigin = pathname === "/" && `${search}${hash}${username}${password}` === "";
    if (isOrigin && /^https?:$/.test(protocol)) return origin;
  }
  throw new InvalidArgumentError("Expected the origin of a site, such as https://example.com.");
}

/** Creates the option with the APIs on this machine. */
export function apiOption(description: string) {
  return new Option("--api <name=url>", description).default(new Map<string, string>(), "none").argParser(parseApi);
}

function parseApi(value: string, apis: ReadonlyMap<string, string>): Map<string, string> {
  const [, name = "", url = ""] = /^([\w.-]+)=(https?:\/\/.+)$/.exec(value) ?? [];
  if (name === "" || !URL.canParse(url))
    throw new InvalidArgumentError("Expected a name and a URL, such as cities=http://localhost:3000.");
  return new Map([...apis, [name, url]]);
}

/** Creates the option with the site whose size budget applies. */
export function targetSiteOption() {
  const description =
    "URL of the site whose budget, policy and shared packages apply (default: that of COLONNADE_ADMIN, or the last one)";
  return new Option("--site <url>", description).argParser(parseOrigin);
}
