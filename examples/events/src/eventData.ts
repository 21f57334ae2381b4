import { notFound, redirect, type Breadcrumb, type NotFound, type QueryResult, type Redirect } from "@colonnade/kit";

import { trailTo } from "./breadcrumbs";
import type { Outcome } from "./outcomes";
import { eventPath, listPath } from "./paths";
import type { EventAnswer } from "./schemas";

/** What the pages of an event show. */
export interface EventData {
  /** Path of the event's page. */
  readonly path: string;
  /** Null if the query failed. */
  readonly answer: EventAnswer | null;
  /** The event was before today. */
  readonly isOver: boolean;
  /** What became of the RSVP that led here, if one did. */
  readonly outcome?: Outcome;
}

/** Reads the result for the event in a path. If the event has another path, such as in another city, leads there. */
export function readEvent(
  result: QueryResult<EventAnswer>,
  { city = "", event: id = "" }: Readonly<Record<string, string>>,
  today: string,
): EventData | NotFound | Redirect {
  const requested = eventPath(city, id);
  if (!result.ok)
    return result.status === 404 ? notFound("Event not found") : { path: requested, answer: null, isOver: false };
  const { city: place, event } = result.value;
  const path = eventPath(place.slug, event.id);
  return path === requested ? { path, answer: result.value, isOver: event.date < today } : redirect(path);
}

/** The trail to an event. Its names are unknown if the query failed. */
export function eventTrail({ path, answer }: EventData): readonly Breadcrumb[] {
  if (!answer) return trailTo({ label: "Event", path });
  const { city, event } = answer;
  return trailTo({ label: city.name, path: listPath({ city: city.slug }) }, { label: event.title, path });
}
