import { createHmac, randomBytes } from "node:crypto";

import { DatabaseSync } from "@photostructure/sqlite";

import { CITIES, sampleEvents } from "./samples.js";

/** Events of one page of a list. */
export const PAGE_SIZE = 12;

// Each commit waits for the disk: once with a write-ahead log, and one transaction creates all tables.
const SCHEMA = `
  PRAGMA foreign_keys = ON;
  PRAGMA journal_mode = WAL;
  BEGIN;
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS cities (slug TEXT PRIMARY KEY, name TEXT NOT NULL, state TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY,
    city TEXT NOT NULL REFERENCES cities,
    date TEXT NOT NULL,
    time TEXT NOT NULL,
    title TEXT NOT NULL,
    kind TEXT NOT NULL,
    summary TEXT NOT NULL,
    venue TEXT NOT NULL,
    address TEXT NOT NULL,
    capacity INTEGER NOT NULL,
    taken INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS events_by_city ON events (city, date, time, id);
  CREATE TABLE IF NOT EXISTS rsvps (
    event INTEGER NOT NULL REFERENCES events,
    attendee TEXT NOT NULL,
    places INTEGER NOT NULL,
    PRIMARY KEY (event, attendee)
  ) STRICT, WITHOUT ROWID;
  COMMIT;
`;

/** @typedef {import("./samples.js").City} City */
/** @typedef {import("./samples.js").SampleEvent & { left: number }} StoredEvent an event, and its places that are left */

/**
 * The events and RSVPs.
 *
 * An RSVP needs no email address after its validation, so the database has only a keyed hash of it, to recognize a second
 * RSVP of the same address.
 *
 * @typedef {ReturnType<typeof openDatabase>} Database
 */

/**
 * Opens the database, and creates its tables if they are missing.
 *
 * @param {string} location path of the file, or `:memory:`
 */
export function openDatabase(location) {
  const db = new DatabaseSync(location);
  db.exec(SCHEMA);
  db.prepare("INSERT OR IGNORE INTO settings VALUES ('attendee_key', ?)").run(randomBytes(32).toString("hex"));
  const key = /** @type {{ value: string }} */ (
    db.prepare("SELECT value FROM settings WHERE name = 'attendee_key'").get()
  ).value;

  const insertCity = db.prepare("INSERT OR IGNORE INTO cities VALUES (?, ?, ?)");
  const insertEvent = db.prepare(
    `INSERT OR IGNORE INTO events (id, city, date, time, title, kind, summary, venue, address, capacity, taken)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectCities = db.prepare(
    `SELECT cities.*, COUNT(events.id) AS events FROM cities LEFT JOIN events ON city = slug AND date >= ?
     GROUP BY slug ORDER BY name`,
  );
  const selectCity = db.prepare("SELECT * FROM cities WHERE slug = ?");
  const selectEvent = db.prepare(
    `SELECT *, MAX(0, capacity - taken - (SELECT COALESCE(SUM(places), 0) FROM rsvps WHERE event = id)) AS left
     FROM events WHERE id = ?`,
  );
  const selectPlaces = db.prepare("SELECT places FROM rsvps WHERE event = ? AND attendee = ?");
  const upsertRsvp = db.prepare(
    "INSERT INTO rsvps VALUES (?, ?, ?) ON CONFLICT (event, attendee) DO UPDATE SET places = excluded.places",
  );

  /** @param {() => void} change */
  function transaction(change) {
    db.exec("BEGIN IMMEDIATE");
    try {
      change();
      db.exec("COMMIT");
    } catch (error) {
      db.exec("ROLLBACK");
      throw error;
    }
  }

  return {
    /** Creates the sample events from a day on. Existing ones stay. @param {string} today */
    addSamples(today) {
      transaction(() => {
        for (const { slug, name, state } of CITIES) insertCity.run(slug, name, state);
        for (const event of sampleEvents(today))
          insertEvent.run(
            event.id,
            event.city,
            event.date,
            event.time,
            event.title,
            event.kind,
            event.summary,
            event.venue,
            event.address,
            event.capacity,
            event.taken,
          );
      });
    },

    /**
     * All cities, each with its number of events from a day on.
     *
     * @param {string} from
     * @returns {(City & { events: number })[]}
     */
    cities(from) {
      return /** @type {(City & { events: number })[]} */ (selectCities.all(from));
    },

    /** @param {string} slug @returns {City | undefined} */
    city(slug) {
      return /** @type {City | undefined} */ (selectCity.get(slug));
    },

    /**
     * One page of a city's events from a day on that contain all words.
     *
     * @param {{ city: string, from: string, words: readonly string[], page: number }} filter
     * @returns {{ total: number, events: import("./samples.js").SampleEvent[] }}
     */
    events({ city, from, words, page }) {
      const condition = [
        "city = ? AND date >= ?",
        ...words.map(() => String.raw`title || ' ' || kind || ' ' || summary || ' ' || venue LIKE ? ESCAPE '\'`),
      ].join(" AND ");
      const values = [city, from, ...words.map((word) => `%${word.replace(/[\\%_]/g, String.raw`\$&`)}%`)];
      const { total } = /** @type {{ total: number }} */ (
        db.prepare(`SELECT COUNT(*) AS total FROM events WHERE ${condition}`).get(...values)
      );
      const events = db
        .prepare(`SELECT * FROM events WHERE ${condition} ORDER BY date, time, id LIMIT ? OFFSET ?`)
        .all(...values, PAGE_SIZE, (page - 1) * PAGE_SIZE);
      return { total, events: /** @type {import("./samples.js").SampleEvent[]} */ (/** @type {unknown} */ (events)) };
    },

    /** @param {number} id @returns {StoredEvent | undefined} */
    event(id) {
      return /** @type {StoredEvent | undefined} */ (selectEvent.get(id));
    },

    /**
     * Records an RSVP. Another one of the same email address replaces it, so a repeated request changes nothing.
     * Returns the places that are left, and whether they sufficed.
     *
     * @param {{ event: number, email: string, places: number }} rsvp
     * @returns {{ accepted: boolean, left: number }}
     */
    addRsvp({ event, email, places }) {
      const attendee = createHmac("sha256", key).update(email.toLowerCase()).digest("hex");
      let result = { accepted: false, left: 0 };
      transaction(() => {
        const before = /** @type {{ places: number } | undefined} */ (selectPlaces.get(event, attendee))?.places ?? 0;
        const free = (this.event(event)?.left ?? 0) + before;
        if (places > free) {
          result = { accepted: false, left: Math.max(0, free - before) };
          return;
        }
        upsertRsvp.run(event, attendee, places);
        result = { accepted: true, left: free - places };
      });
      return result;
    },

    close() {
      db.close();
    },
  };
}
