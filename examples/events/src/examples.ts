// What the API of this section responds with, for the examples of its pages and extensions.
import type { Cities, EventDetails, Listing } from "./schemas";

export const AS_OF = "2026-11-24T14:05Z";
export const city = { slug: "portland", name: "Portland", state: "Oregon" };
export const event = {
  id: 7,
  date: "2026-11-24",
  time: "18:30",
  title: "Board games after work",
  kind: "Games",
  summary: "A shelf of three hundred games.",
  venue: "Sample Hall",
  sample: true,
};

const all: Cities = { asOf: AS_OF, cities: [{ ...city, events: 48 }] };
export const cities = { ok: true, value: all } as const;
const listed: Listing = { asOf: AS_OF, city, total: 1, page: 1, pages: 3, events: [event] };
export const listing = { ok: true, value: listed } as const;
const details = (date: string): EventDetails => ({
  asOf: AS_OF,
  city,
  event: { ...event, date, address: "000 Sample Street", capacity: 24 },
});
export const past = { ok: true, value: details(event.date) } as const;
export const future = { ok: true, value: details("2099-11-24") } as const;
export const missing = { ok: false, status: 404 } as const;
