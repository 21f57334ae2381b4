// The endpoints. On the site they are below /api/events; the section's pages are below /events.
import { HttpError, readFields, seeOther, sendJson, wantsPage } from "./http.js";
import { CITIES, dayOf, sampleEvent, sampleEvents } from "./samples.js";

/** @typedef {import("./http.js").Request} Request */
/** @typedef {import("./http.js").Response} Response */

/**
 * One request to an endpoint.
 *
 * @typedef {object} Call
 * @property {Request} request
 * @property {Response} response
 * @property {import("./rsvps.js").Rsvps} rsvps
 * @property {string} param the variable segment of the path, decoded
 * @property {URLSearchParams} query
 * @property {Date} now
 */

// Lists change rarely. A cache may use a response for 30 seconds, then for two minutes while it fetches a new one, and for a day if
// this API fails. Browsers ask the gateway's cache each time; Chromium does so in the background for those two minutes.
const CACHED = "public, max-age=0, s-maxage=30, stale-while-revalidate=120, stale-if-error=86400";
// Short, because an event may be added, but long enough to shield the API.
const NOT_FOUND = { "Cache-Control": "public, max-age=0, s-maxage=5" };

/** Events of one page of a list. */
const PAGE_SIZE = 12;
const MAX_PLACES = 4;
// The pattern of HTML's email fields, with a dot in the domain.
const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/i;

/** The minute of a response, so that a page can show the age of its data. @param {Date} now */
function minute(now) {
  return `${now.toISOString().slice(0, 16)}Z`;
}

/** Reads the day from which a list begins. @param {Call} call @returns {string} */
function readFrom({ query, now }) {
  const from = query.get("from") ?? dayOf(now);
  if (!/^\d{4}-\d\d-\d\d$/.test(from) || Number.isNaN(Date.parse(from)))
    throw new HttpError(400, "`from` must be a day, such as 2026-11-24.");
  return from;
}

/** Reads a page's number, written as in its only path. @param {Call} call @returns {number} */
function readPage({ query }) {
  const text = query.get("page") ?? "1";
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new HttpError(404, "There is no such page.", NOT_FOUND);
  return Number(text);
}

/** @param {Call} call */
function readEvent({ param, now }) {
  const event = /^\d{1,12}$/.test(param) ? sampleEvent(Number(param), now) : undefined;
  if (!event) throw new HttpError(404, "There is no such event.", NOT_FOUND);
  return event;
}

/** @param {string} slug */
function readCity(slug) {
  const city = CITIES.find((one) => one.slug === slug);
  if (!city) throw new HttpError(404, "There is no such city.", NOT_FOUND);
  return city;
}

/** `GET /cities?from=`: all cities, with their numbers of events. @param {Call} call */
export function listCities(call) {
  const { response, now } = call;
  const from = readFrom(call);
  const events = sampleEvents(now).filter(({ date }) => date >= from);
  const countOf = (/** @type {string} */ slug) => events.filter(({ city }) => city === slug).length;
  const cities = CITIES.map((city) => ({ ...city, events: countOf(city.slug) }));
  sendJson(response, { body: { asOf: minute(now), cities }, cacheControl: CACHED });
}

/** `GET /cities/:city?from=&page=`: one page of a city's events. @param {Call} call */
export function listEvents(call) {
  const { response, param, now } = call;
  const page = readPage(call);
  const city = readCity(param);
  const from = readFrom(call);
  const found = sampleEvents(now).filter((event) => event.city === param && event.date >= from);
  const total = found.length;
  const pages = Math.max(1, Math.ceil(total / PAGE_SIZE));
  if (page > pages) throw new HttpError(404, "There is no such page.", NOT_FOUND);
  const events = found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map(summaryOf);
  sendJson(response, { body: { asOf: minute(now), city, total, page, pages, events }, cacheControl: CACHED });
}

/** `GET /:event`: one event. @param {Call} call */
export function showEvent(call) {
  const { response, now } = call;
  const event = readEvent(call);
  const { address, capacity } = event;
  sendJson(response, {
    body: { asOf: minute(now), city: readCity(event.city), event: { ...summaryOf(event), address, capacity } },
    cacheControl: CACHED,
  });
}

/** `GET /:event/places`: the places that are left right now. @param {Call} call */
export function showPlaces(call) {
  const event = readEvent(call);
  sendJson(call.response, { body: { left: call.rsvps.left(event), capacity: event.capacity } });
}

/**
 * `POST /:event/rsvps`: records an RSVP. Scripts get JSON; a form without JavaScript is redirected to a page with the outcome.
 * The email address is in no path, log or response.
 *
 * @param {Call} call
 */
export async function addRsvp(call) {
  const { request, response, rsvps, now } = call;
  const event = readEvent(call);
  const { outcome, status, ...body } = rsvp(rsvps, event, await readFields(request), dayOf(now));
  if (wantsPage(request)) seeOther(response, `/events/${event.city}/event/${String(event.id)}/rsvp/${outcome}`);
  else sendJson(response, { status, body: { outcome, ...body } });
}

/**
 * @param {Call["rsvps"]} rsvps
 * @param {import("./samples.js").SampleEvent} event
 * @param {Partial<Record<string, string>>} fields
 * @param {string} day
 */
function rsvp(rsvps, event, { email, places }, day) {
  if (email === undefined || email.length > 254 || !EMAIL.test(email.trim()))
    return { outcome: "invalid", status: 422, error: "Enter an email address, such as name@example.com." };
  const count = Number(places);
  if (!Number.isInteger(count) || count < 1 || count > MAX_PLACES)
    return { outcome: "invalid", status: 422, error: `Choose 1 to ${String(MAX_PLACES)} places.` };
  if (event.date < day) return { outcome: "over", status: 409, error: "This event is over." };
  const { accepted, left } = rsvps.add(event, email.trim(), count);
  if (accepted) return { outcome: "received", status: 200, places: count, left };
  if (left === 0) return { outcome: "full", status: 409, error: "No places are left." };
  return {
    outcome: "full",
    status: 409,
    error: `Only ${String(left)} ${left === 1 ? "place is" : "places are"} left.`,
  };
}

/** What lists show of an event. @param {import("./samples.js").SampleEvent} event */
function summaryOf({ id, date, time, title, kind, summary, venue }) {
  return { id, date, time, title, kind, summary, venue, sample: true };
}
