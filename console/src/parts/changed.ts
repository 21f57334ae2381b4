// When sections changed last.
import type { Change, Section } from "../openapi.js";

const HOUR_MS = 60 * 60_000;

/** Whether a time is within the last hour. */
export const isRecent = (time: string | undefined, now: number): boolean =>
  time !== undefined && now - new Date(time).getTime() < HOUR_MS;

/** When each section was last published or changed, as far as these changes tell. */
export function lastChanges(sections: readonly Section[], changes: readonly Change[]): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  const see = (name: string, at: string): void => {
    const known = last.get(name);
    if (known === undefined || new Date(known) < new Date(at)) last.set(name, at);
  };
  for (const { name, releases } of sections) for (const { publishedAt } of releases) see(name, publishedAt);
  for (const { sections: changed, at } of changes) for (const name of Object.keys(changed)) see(name, at);
  return last;
}
