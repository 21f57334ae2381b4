// Sample events. Nothing here is real: no event, venue, address or person exists, and every event says that it is a sample.
// Each day of each city has the same events, so nothing needs to keep them.

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

const VENUES = [
  { venue: "Sample Hall", address: "000 Sample Street" },
  { venue: "Placeholder Gallery", address: "000 Placeholder Lane" },
  { venue: "The Example Room", address: "0 Example Avenue" },
  { venue: "Specimen Yard", address: "000 Specimen Square" },
];

const TEMPLATES = [
  {
    title: "Open jazz session",
    kind: "Music",
    time: "20:00",
    capacity: 60,
    summary: "A house band plays two sets. Bring an instrument to join the second one.",
  },
  {
    title: "Pottery for beginners",
    kind: "Craft",
    time: "18:30",
    capacity: 8,
    summary: "Throw a first bowl on the wheel. Clay, tools and aprons are provided.",
  },
  {
    title: "Night market",
    kind: "Food",
    time: "17:00",
    capacity: 200,
    summary: "Forty stalls with street food, from dumplings to crêpes, under strings of lights.",
  },
  {
    title: "Silent film with live piano",
    kind: "Film",
    time: "19:30",
    capacity: 90,
    summary: "A comedy from 1926, with new music played in the room.",
  },
  {
    title: "Board games after work",
    kind: "Games",
    time: "18:00",
    capacity: 24,
    summary: "A shelf of three hundred games, and hosts who explain the rules.",
  },
  {
    title: "Salsa in an hour",
    kind: "Dance",
    time: "19:00",
    capacity: 30,
    summary: "Basic steps and one turn. No partner and no experience needed.",
  },
  {
    title: "Sunrise yoga in the park",
    kind: "Outdoors",
    time: "06:30",
    capacity: 40,
    summary: "A gentle class on the grass. It moves indoors if it rains.",
  },
  {
    title: "How bridges stand up",
    kind: "Talk",
    time: "19:00",
    capacity: 70,
    summary: "An illustrated talk on arches, cables and the wind, followed by questions.",
  },
  {
    title: "Café language exchange",
    kind: "Meetup",
    time: "18:30",
    capacity: 20,
    summary: "Half an hour in your language, half an hour in theirs. Ten languages at the last count.",
  },
  {
    title: "Stargazing from the roof",
    kind: "Outdoors",
    time: "21:00",
    capacity: 12,
    summary: "Two telescopes and a short tour of the autumn sky.",
  },
  {
    title: "Bread from scratch",
    kind: "Food",
    time: "10:00",
    capacity: 10,
    summary: "Mix, fold, wait, bake. Take a loaf and a starter home.",
  },
  {
    title: "Pub quiz",
    kind: "Games",
    time: "20:00",
    capacity: 48,
    summary: "Six rounds for teams of up to six. One round is only music.",
  },
];

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
