import { pathTo } from "@colonnade/kit";
import { defineSearch } from "@colonnade/kit/search";
import * as v from "valibot";

/** Path of the page with all cities. */
export const CITIES_PATH = "/events";

/** The slug of a city by its name. */
export function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

/** The query parameters of a list of events: the number of the page. */
export const listSearch = defineSearch({ page: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1) });

/** Which of a city's events a page lists. */
export interface ListAddress {
  /** Slug of the city. */
  readonly city: string;
  /** Number of the page. Default: 1. */
  readonly page?: number;
}

/** Path of a list of events. The first page has no number. */
export function listPath({ city, page }: ListAddress): string {
  return listSearch.path(pathTo("/events/:city", { city }), { page });
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
export function listQuery({ city, page = 1 }: ListAddress, from: string): string {
  return `${API}/cities/${encodeURIComponent(city)}?from=${from}&page=${String(page)}`;
}

/** The query for an event. */
export function eventQuery(event = ""): string {
  return `${API}/${encodeURIComponent(event)}`;
}

/** The query for the places that are left, which each browser sends. */
export function placesQuery(event: number): string {
  return `${API}/${String(event)}/places`;
}

/** Action of the RSVP form. */
export function rsvpAction(event: number): string {
  return `${API}/${String(event)}/rsvps`;
}
