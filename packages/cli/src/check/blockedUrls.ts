// The URLs that the site's Content Security Policy blocks: gateway/crates/site/src/content_security_policy.rs.

import { isPagePath } from "@colonnade/kit/contract";
import { permissionOf, type Permission } from "./permission.js";

/** A URL that the browser does not load. */
export interface BlockedUrl {
  /** What contains the URL, such as `the URL "https://a.example/x.png" as the prop "src" of a <img> element`. */
  readonly message: string;
  /** What to do instead, if the help text of the code does not say it. */
  readonly advice?: string;
  /** What permits it, if the policy can. */
  readonly permission?: Permission | undefined;
  /** Present if the check does not see whether an element loads the URL, or whether another server has the file. */
  readonly severity?: "warning";
}

/** What the policy calls the files that an element loads. */
export type FileKey = "images" | "media";

// Documents of this origin cannot be in frames.
const FRAMES: Readonly<Record<string, string>> = { iframe: "src", embed: "src", object: "data" };
const FILES: Readonly<Record<string, RegExp>> = {
  audio: /^src$/,
  image: /^(href|xlinkHref)$/,
  img: /^src(Set)?$/,
  input: /^src$/,
  source: /^src(Set)?$/,
  track: /^src$/,
  use: /^(href|xlinkHref)$/,
  video: /^(src|poster)$/,
};
/** The elements whose URLs are of audio and video. */
const MEDIA = /^(audio|source|track|video)$/;
const STYLESHEET = /(^|\s)stylesheet(\s|$)/i;
/** The prop with the target of a form, by element. */
export const FORM_TARGET: Readonly<Record<string, string>> = {
  form: "action",
  button: "formAction",
  input: "formAction",
};
/** A path with a file name, of this origin. */
const FILE_PATH = /^(?!\/\/|[a-z][a-z0-9+.-]*:)[^?#]+\.\w+(?=[?#]|$)/i;
const CODE_PROP = /^(href|action|formAction|xlinkHref)$/;
const OTHER_ORIGIN = /^\s*((https?:|wss?:)?\/\/|data:)/i;
const CODE = /^\s*javascript:/i;
/** Names of the functions and classes that connect to the URL in their first argument. */
const CONNECTION = /^((globalThis|self|window)\.)?(fetch|EventSource|WebSocket|navigator\.sendBeacon)$/;
/** The option with the server of errors, of Sentry and compatible libraries. */
const ERROR_SERVER = "dsn";
/** Trusted Types allow only the scripts of a release, which a path in the source cannot name. */
const WORKER = /^((globalThis|self|window)\.)?(Shared)?Worker$/;
const MAX_URL = 60;
/** Methods that create a URL, and its scheme. */
const CREATED_URLS: ReadonlyMap<string, string> = new Map([
  ["createObjectURL", "blob:"],
  ["toDataURL", "data:"],
]);

/**
 * Returns what the policy blocks of a prop of an HTML element. `value` is the prop's text, or the text before its first
 * expression; undefined if unknown. `rel` is the text of the element's prop "rel".
 */
export function blockedProp(
  tag: string,
  name: string,
  value: string | undefined,
  rel?: string,
): BlockedUrl | undefined {
  const prop = `the prop "${name}" of a <${tag}> element`;
  if (FRAMES[tag] === name) {
    const advice = "Link to the page instead: the policy blocks frames.";
    return { message: prop, advice, ...(tag === "iframe" && frameOf(value)) };
  }
  if (value === undefined) return undefined;
  if (CODE_PROP.test(name) && CODE.test(value))
    return { message: `the URL "${shortened(value)}" as ${prop}`, advice: "Use the event handler of a <button>." };
  if (FORM_TARGET[tag] === name && OTHER_ORIGIN.test(value))
    return {
      message: `the URL "${shortened(value)}" as ${prop}`,
      advice: "Submit the form to a path of this site: the policy blocks forms of other origins.",
    };
  const isStylesheet = tag === "link" && name === "href" && STYLESHEET.test(rel ?? "");
  if (!isStylesheet && !FILES[tag]?.test(name)) return undefined;
  const blocked = urlsOf(name, value).find((url) => OTHER_ORIGIN.test(url));
  if (blocked === undefined) return undefined;
  const message = `the URL "${shortened(blocked)}" as ${prop}`;
  if (isStylesheet || tag === "use") return { message };
  return { message, ...permissionOrHttps(fileKeyOf(tag, name) ?? "images", blocked) };
}

/** Returns that a prop of an element loads a file from a path that only a page can have. `value` is the prop's text, if it is known. */
export function misplacedFile(tag: string, name: string, value = ""): BlockedUrl | undefined {
  if (!FILES[tag]?.test(name)) return undefined;
  const misplaced = urlsOf(name, value).find((url) => {
    const [file] = FILE_PATH.exec(url) ?? [];
    // A relative path starts from that of the page.
    return file !== undefined && (!file.startsWith("/") || isPagePath(file));
  });
  if (misplaced === undefined) return undefined;
  return {
    message: `the path "${shortened(misplaced)}" as the prop "${name}" of a <${tag}> element, where no release has a file`,
    advice: "Import the file from the section's sources: a site has no public folder.",
    severity: "warning",
  };
}

/** The URLs of a prop: those of the prop "srcSet" without their sizes. */
function urlsOf(name: string, value: string): string[] {
  return name === "srcSet" ? value.split(",").map((source) => source.trim().replace(/\s.*/s, "")) : [value];
}

/** Returns what the policy calls the files that a prop of an element loads. Undefined if it loads none that the policy can permit. */
export function fileKeyOf(tag: string, name: string): FileKey | undefined {
  if (tag === "use" || !FILES[tag]?.test(name)) return undefined;
  return MEDIA.test(tag) && name === "src" ? "media" : "images";
}

/** Returns what the policy blocks of the URL that a method creates, if an element with files of `key` loads it. */
export function blockedCreation(method: string, key: FileKey): BlockedUrl | undefined {
  const scheme = CREATED_URLS.get(method);
  // A canvas has an image.
  if (scheme === undefined || (scheme === "data:" && key === "media")) return undefined;
  const instead = key === "images" ? "Draw to a <canvas>, a file with createImageBitmap()" : "Use a path of this site";
  return {
    message: `a call of ${method}(): no ${key === "images" ? "image" : "audio or video"} can have its ${scheme} URL`,
    advice: `${instead}.`,
    permission: permissionOf(key, scheme),
    severity: "warning",
  };
}

function frameOf(url: string | undefined): Pick<BlockedUrl, "advice" | "permission"> {
  if (url === undefined) return { permission: { key: "frames" } };
  return OTHER_ORIGIN.test(url) ? permissionOrHttps("frames", url) : {};
}

/** What permits a URL of another origin; for one without encryption, which nothing permits, the advice to encrypt. */
function permissionOrHttps(key: Permission["key"], url: string): Pick<BlockedUrl, "advice" | "permission"> {
  const permission = permissionOf(key, url);
  const isPlain = !permission && /^\s*(http|ws):/i.test(url);
  return isPlain ? { advice: "Use https: or wss:, for which the policy can permit the host." } : { permission };
}

/** Returns what the policy blocks of a call. `value` is the start of its first argument; undefined if unknown. */
export function blockedCall(name: string, value: string | undefined): BlockedUrl | undefined {
  if (value === undefined) return undefined;
  if (WORKER.test(name))
    return {
      message: `the URL "${shortened(value)}" in a call of ${name}()`,
      advice: 'Use `new Worker(new URL("./worker.ts", import.meta.url))`: the policy blocks other scripts.',
    };
  return CONNECTION.test(name) ? blockedConnection(value, `in a call of ${name}()`) : undefined;
}

/** Returns what the policy blocks of an option of a library. `value` is its text; undefined if unknown. */
export function blockedOption(name: string, value: string | undefined): BlockedUrl | undefined {
  return name === ERROR_SERVER ? blockedConnection(value, `as the option "${name}"`) : undefined;
}

function blockedConnection(value = "", where: string): BlockedUrl | undefined {
  if (!OTHER_ORIGIN.test(value)) return undefined;
  return {
    message: `the URL "${shortened(value)}" ${where}`,
    advice: "Request a path of this site: the policy blocks connections to other origins.",
    ...permissionOrHttps("connections", value),
  };
}

/** Returns what the policy blocks of a URL in a declaration of a stylesheet. */
export function blockedStyleUrl(property: string, url: string): BlockedUrl | undefined {
  if (!OTHER_ORIGIN.test(url)) return undefined;
  const message = `the URL "${shortened(url)}" in the property "${property}"`;
  return { message, ...permissionOrHttps(property === "src" ? "fonts" : "images", url) };
}

/** Returns a URL as messages quote it. */
export function shortened(url: string): string {
  const text = url.trim();
  return text.length > MAX_URL ? `${text.slice(0, MAX_URL)}…` : text;
}
