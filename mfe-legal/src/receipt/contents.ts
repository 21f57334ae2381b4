import {
  citiesInTab,
  CLOSED,
  readTab,
  removeFromTab,
  sentForms,
  TAB_KEYS,
  TAB_CHANGED,
  tabKeys,
  type SentForm,
  type TabCity,
} from "@colonnade/design/tab";

/** A host that the document has asked for files. */
interface AskedHost {
  readonly host: string;
  /** Whether it is this site's. */
  readonly own: boolean;
  /** When it was asked last: a time as in ISO 8601. */
  readonly at: string;
}

/** What this tab keeps, and what has left it. */
export interface Contents {
  readonly cities: readonly TabCity[];
  readonly sent: readonly SentForm[];
  /** Whether an age under 18 was stated. */
  readonly closed: boolean;
  /** Whether a sign-up has worked, and the next page has not read that yet. */
  readonly signedUp: boolean;
  /** Keys that the site does not know. */
  readonly unknown: readonly string[];
  readonly asked: readonly AskedHost[];
  /** Whether the browser may have left out the last requests. */
  readonly full: boolean;
}

/** After this many requests, a browser lists no more: the default of Resource Timing. */
const MAX_LISTED = 250;

/** The contents of an unused tab of a site, whose origin the configuration has. Only the browser knows the time. */
export function contentsOfUnused(origin: string): Contents {
  return {
    cities: [],
    sent: [],
    closed: false,
    signedUp: false,
    unknown: [],
    asked: [{ host: new URL(origin).host, own: true, at: "" }],
    full: false,
  };
}

function isKnown(key: string): boolean {
  return TAB_KEYS.some((known) => (known === "ads:" ? key.startsWith("ads:/city/") : key === known));
}

/** Resource Timing lists the document, and each file that it has asked for, with or without an answer. */
function askedHosts(): readonly AskedHost[] {
  const last = new Map([[location.host, 0]]);
  for (const { name, startTime } of performance.getEntriesByType("resource")) {
    const { host } = new URL(name);
    if (host !== "") last.set(host, Math.max(startTime, last.get(host) ?? 0));
  }
  return [...last].map(([host, time]) => ({
    host,
    own: host === location.host,
    at: new Date(performance.timeOrigin + time).toISOString(),
  }));
}

/** Reads what this tab keeps now, and what has left it. */
export function readContents(): Contents {
  return {
    cities: citiesInTab(),
    sent: sentForms(),
    closed: readTab("signup") === CLOSED,
    signedUp: Boolean(readTab("signed-up")),
    unknown: tabKeys().filter((key) => !isKnown(key)),
    asked: askedHosts(),
    full: performance.getEntriesByType("resource").length >= MAX_LISTED,
  };
}

/** Calls the listener when what {@link readContents} returns may have changed. Returns a function that ends this. */
export function subscribe(listener: () => void): () => void {
  window.addEventListener(TAB_CHANGED, listener);
  document.addEventListener("visibilitychange", listener);
  return () => {
    window.removeEventListener(TAB_CHANGED, listener);
    document.removeEventListener("visibilitychange", listener);
  };
}

/** Removes all that this tab keeps, but not that sign-up is closed. */
export function clearTab(): void {
  for (const key of tabKeys()) if (key !== "signup" || readTab(key) !== CLOSED) removeFromTab(key);
}
