// Texts for values.
import type { Change, ReleaseChange } from "./openapi.js";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago a time was, such as `5 min ago`. */
export function ago(time: string | number, now: number): string {
  const seconds = Math.max(0, Math.round((now - new Date(time).getTime()) / 1000));
  if (seconds < MINUTE) return "just now";
  if (seconds < HOUR) return `${String(Math.floor(seconds / MINUTE))} min ago`;
  if (seconds < DAY) return `${String(Math.floor(seconds / HOUR))} h ago`;
  const days = Math.floor(seconds / DAY);
  return `${String(days)} ${days === 1 ? "day" : "days"} ago`;
}

/** How long a time is, such as `1 h 5 min`. */
export function durationOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  if (seconds < MINUTE) return `${String(seconds)} s`;
  const minutes = Math.ceil(seconds / MINUTE);
  if (minutes < 60) return `${String(minutes)} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${String(hours)} h` : `${String(hours)} h ${String(rest)} min`;
}

const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const LOCAL_TIME = new Intl.DateTimeFormat("en-GB", CLOCK);
const DATE = { year: "numeric", month: "2-digit", day: "2-digit", ...CLOCK } as const;
// Sweden writes dates as in ISO 8601.
const LOCAL_DATE = new Intl.DateTimeFormat("sv-SE", DATE);
const NUMBER = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const PERCENT = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });

/** Date and time in UTC and, if it differs, where the reader is: `2030-01-31 14:02 UTC (15:02 local)`. */
export function dateOf(time: string | number): string {
  const date = new Date(time);
  const utc = date.toISOString().slice(0, 16).replace("T", " ");
  const local = LOCAL_DATE.format(date);
  if (local === utc) return `${utc} UTC`;
  return `${utc} UTC (${local.slice(0, 10) === utc.slice(0, 10) ? LOCAL_TIME.format(date) : local} local)`;
}

/** Time of day in UTC. */
export const utcOf = (time: string | number): string => `${new Date(time).toISOString().slice(11, 16)} UTC`;

/** Time of day in UTC and, if it differs, where the reader is. */
export function timeOf(time: string | number): string {
  const [utc, local] = [utcOf(time), LOCAL_TIME.format(new Date(time))];
  return utc.startsWith(local) ? utc : `${utc} (${local} local)`;
}

/** A number. */
export const numberOf = (value: number): string => NUMBER.format(value);

/** A share, from 0 to 1, as a percentage. */
export const shareOf = (value: number): string => PERCENT.format(value);

/** Milliseconds. */
export const millisecondsOf = (value: number): string =>
  value >= 1000 ? `${NUMBER.format(value / 1000)} s` : `${NUMBER.format(value)} ms`;

/** A size. */
export function bytesOf(bytes: number): string {
  const size = Math.abs(bytes);
  if (size < 1024) return `${String(bytes)} B`;
  if (size < 1024 * 1024) return `${NUMBER.format(bytes / 1024)} KiB`;
  if (size < 1024 ** 3) return `${NUMBER.format(bytes / 1024 / 1024)} MiB`;
  return `${NUMBER.format(bytes / 1024 ** 3)} GiB`;
}

/** A difference in size, with its sign. */
export const differenceOf = (bytes: number): string =>
  bytes === 0 ? "±0 B" : `${bytes > 0 ? "+" : "−"}${bytesOf(Math.abs(bytes))}`;

/** A change of versions in words, for screen readers and texts. */
export function changeText(name: string, { from, to }: ReleaseChange): string {
  if (from === null) return `${name} ${String(to)} is added`;
  if (to === null) return `${name} ${from} is removed`;
  return `${name} changes from ${from} to ${to}`;
}

/** The names of the actions in the history. */
const ACTIONS: Readonly<Record<string, string>> = {
  deploy: "Deployed",
  rollout: "Rollout started",
  percent: "Share changed",
  promote: "Promoted",
  abort: "Aborted",
  "automatic-abort": "Aborted automatically",
  rollback: "Rolled back",
  preview: "Preview created",
  "end-previews": "Previews ended",
  "garbage-collection": "Garbage collected",
  "extension-off": "Extension switched off",
  "extension-on": "Extension switched on",
};

/** What a change did, in words. */
export function actionText({ action, percent, paused }: Change): string {
  if (paused !== undefined) return `${paused ? "Paused" : "Resumed"} at ${String(percent)}%`;
  const text = ACTIONS[action] ?? action;
  if (percent === undefined) return text;
  return `${text} ${action === "rollout" ? "at" : "to"} ${String(percent)}%`;
}

/** A number of things, such as `1 release` or `2 releases`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${numberOf(count)} ${count === 1 ? one : many}`;

/** The text of a form's field. */
export function fieldOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === "string" ? value.trim() : "";
}
