// Sample events. Nothing here is real: no event, venue, address or person exists, and every event says that it is a sample.
// Each day of each city has the same events, so nothing needs to keep them.
import { readFileSync } from "node:fs";

/** @typedef {{ slug: string, name: string, state: string }} City */

/**
 * An event.
 *
 * @typedef {object} SampleEvent
 * @property {number} id
 * @property {string} city slug of its city
 * @property {string} date `YYYY-MM-DD`
 * @property {string} time local time, `HH:MM`
 * @property {string} title
 * @property {string} kind
 * @property {string} summary
 * @property {string} venue
 * @property {string} address
 * @property {number} capacity places in all
 * @property {number} taken places that are taken from the start
 */

/** The cities. Cheyenne has no events. @type {readonly City[]} */
export const CITIES = [
  { slug: "austin", name: "Austin", state: "Texas" },
  { slug: "cheyenne", name: "Cheyenne", state: "Wyoming" },
  { slug: "chicago", name: "Chicago", state: "Illinois" },
  { slug: "new-orleans", name: "New Orleans", state: "Louisiana" },
  { slug: "portland", name: "Portland", state: "Oregon" },
];

const WITHOUT_EVENTS = "cheyenne";
const DAY = 24 * 60 * 60 * 1000;
/** How many days ahead there are events. */
const DAYS = 45;

/**
 * The venues, and what happens there.
 *
 * @type {{
 *   venues: readonly Pick<SampleEvent, "venue" | "address">[],
 *   templates: readonly Pick<SampleEvent, "title" | "kind" | "time" | "capacity" | "summary">[],
 * }}
 */
const { venues: VENUES, templates: TEMPLATES } = JSON.parse(
  readFileSync(new URL("samples.json", import.meta.url), "utf8"),
);

/** FNV-1a: the same number for the same text, everywhere. @param {string} text */
function hash(text) {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}

/**
 * Returns an element of a list that is not empty.
 *
 * @template T
 * @param {readonly T[]} list
 * @param {number} number
 * @returns {T}
 */
function pick(list, number) {
  return /** @type {T} */ (list[number % list.length]);
}

/**
 * Returns the events of a city on a day: none, one or two.
 *
 * @param {City} city
 * @param {number} index of the city
 * @param {string} date
 * @returns {SampleEvent[]}
 */
function eventsOn({ slug }, index, date) {
  if (slug === WITHOUT_EVENTS) return [];
  const day = Date.parse(date) / DAY;
  const first = hash(`${slug} ${date}`);
  return Array.from({ length: first % 3 }, (_, nth) => {
    const template = pick(TEMPLATES, first + nth * 5);
    const random = hash(`${String(first)} ${String(nth)}`);
    return {
      ...template,
      ...pick(VENUES, random),
      id: day * 100 + index * 10 + nth,
      city: slug,
      date,
      // One event in eight is full.
      taken: random % 8 === 0 ? template.capacity : random % template.capacity,
    };
  });
}

/** Writes a point in time as a day, `YYYY-MM-DD`. @param {number | Date} time */
export function dayOf(time) {
  return new Date(time).toISOString().slice(0, 10);
}

/**
 * Returns the events of the next days, in order.
 *
 * @param {Date} now
 * @returns {SampleEvent[]}
 */
export function sampleEvents(now) {
  const dates = Array.from({ length: DAYS }, (_, days) => dayOf(now.getTime() + days * DAY));
  return dates.flatMap((date) =>
    CITIES.flatMap((city, index) => eventsOn(city, index, date)).sort(
      (a, b) => a.time.localeCompare(b.time) || a.id - b.id,
    ),
  );
}

/**
 * Returns an event, also one of the past.
 *
 * @param {number} id
 * @param {Date} now
 * @returns {SampleEvent | undefined}
 */
export function sampleEvent(id, now) {
  const start = Math.floor(id / 100) * DAY;
  if (start >= now.getTime() + DAYS * DAY) return undefined;
  return CITIES.flatMap((city, index) => eventsOn(city, index, dayOf(start))).find((event) => event.id === id);
}
