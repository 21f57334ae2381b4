import { pathTo } from "@colonnade/kit";

/** Path of the page with all cities. */
export const CITIES_PATH = "/events";

/** Which of a city's events a page lists. Pages are in the path, because a document does not depend on the query string. */
export interface ListAddress {
  /** Slug of the city. */
  readonly city: string;
  /** Words that the events contain. Default: all events. */
  readonly search?: string | undefined;
  /** Number of the page. Default: 1. */
  readonly page?: number | string | undefined;
}

/** Path of a list of events. The first page has no number. */
export function listPath({ city, search, page = 1 }: ListAddress): string {
  const list = search ? pathTo("/events/:city/search/:search", { city, search }) : pathTo("/events/:city", { city });
  return String(page) === "1" ? list : `${list}/page/${encodeURIComponent(page)}`;
}

/** Path of the results for what a visitor typed. Without JavaScript, `GET /api/events/search` redirects to the same path. */
export function typedSearchPath(city: string, text: string): string {
  const words = text.split(/[\s/\\\p{Cc}]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  return listPath({ city, search: words.join(" ") });
}

/** Path of an event's page. */
export function eventPath(city: string, event: number | string): string {
  return pathTo("/events/:city/event/:event", { city, event: String(event) });
}

/** Path of the API on the site. In the operator's configuration, it is the upstream `events`. */
const API = "/api/events";

/** The query for all cities, with their numbers of events from a day on. */
export function citiesQuery(from: string): string {
  return `${API}/cities?from=${from}`;
}

/** The query for one page of a list of events from a day on. */
export function listQuery({ city, search = "", page = 1 }: ListAddress, from: string): string {
  const query = new URLSearchParams({ from, page: String(page), ...(search && { search }) });
  return `${API}/cities/${encodeURIComponent(city)}?${query.toString()}`;
}

/** The query for an event. */
export function eventQuery(event = ""): string {
  return `${API}/${encodeURIComponent(event)}`;
}

/** The query for the places that are left, which each browser sends. */
export function placesQuery(event: number): string {
  return `${API}/${String(event)}/places`;
}

/** Action of the search form, without JavaScript. */
export const SEARCH_ACTION = `${API}/search`;

/** Action of the RSVP form. */
export function rsvpAction(event: number): string {
  return `${API}/${String(event)}/rsvps`;
}
