import { notFound, redirect, type Breadcrumb, type NotFound, type QueryResult, type Redirect } from "@colonnade/kit";

import { trailTo } from "./breadcrumbs";
import type { Outcome } from "./outcomes";
import { eventPath, listPath } from "./paths";
import type { EventDetails } from "./schemas";

/** What the pages of an event show. */
export interface EventData {
  /** Path of the event's page. */
  readonly path: string;
  /** Null if the query failed. */
  readonly details: EventDetails | null;
  /** The event was before today. */
  readonly isOver: boolean;
  /** The outcome of the RSVP that redirected to this page, if any. */
  readonly outcome?: Outcome;
}

/** Reads the result for the event in a path. Redirects if the event has another path, such as in another city. */
export function readEvent(
  result: QueryResult<EventDetails>,
  { city = "", event: id = "" }: Readonly<Record<string, string>>,
  today: string,
): EventData | NotFound | Redirect {
  const requested = eventPath(city, id);
  if (!result.ok)
    return result.status === 404 ? notFound("Event not found") : { path: requested, details: null, isOver: false };
  const { city: place, event } = result.value;
  const path = eventPath(place.slug, event.id);
  return path === requested ? { path, details: result.value, isOver: event.date < today } : redirect(path);
}

/** The trail to an event. Its names are unknown if the query failed. */
export function eventTrail({ path, details }: EventData): readonly Breadcrumb[] {
  if (!details) return trailTo({ label: "Event", path });
  const { city, event } = details;
  return trailTo({ label: city.name, path: listPath({ city: city.slug }) }, { label: event.title, path });
}
