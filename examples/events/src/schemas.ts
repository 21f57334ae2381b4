// What this section relies on in the API's responses. A response that does not fit is a failed query, not a broken page.
import * as v from "valibot";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const asOf = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/));

const city = v.object({ slug: v.string(), name: v.string(), state: v.string() });

const summary = v.object({
  id: count,
  date: v.pipe(v.string(), v.isoDate()),
  /** Local time, 24 hours. */
  time: v.pipe(v.string(), v.isoTime()),
  title: v.string(),
  kind: v.string(),
  summary: v.string(),
  venue: v.string(),
  /** Neither the event nor its venue exists. */
  sample: v.boolean(),
});

/** All cities. */
export const citiesSchema = v.object({ asOf, cities: v.array(v.object({ ...city.entries, events: count })) });

/** One page of a list of events. */
export const listingSchema = v.object({
  /** The minute in which the API created the response. */
  asOf,
  city,
  /** Number of events on all pages. */
  total: count,
  page: count,
  pages: count,
  events: v.array(summary),
});

/** One event. */
export const eventSchema = v.object({
  asOf,
  city,
  event: v.object({ ...summary.entries, address: v.string(), capacity: count }),
});

/** The places that are left right now. */
export const placesSchema = v.object({ left: count, capacity: count });

/** The response to an accepted RSVP. */
export const rsvpSchema = v.object({ places: count, left: count });

export type Cities = v.InferOutput<typeof citiesSchema>;
export type City = v.InferOutput<typeof city>;
export type EventSummary = v.InferOutput<typeof summary>;
export type Listing = v.InferOutput<typeof listingSchema>;
export type EventDetails = v.InferOutput<typeof eventSchema>;
