import { createHmac, randomBytes } from "node:crypto";

/** @typedef {import("./samples.js").SampleEvent} SampleEvent */

/**
 * The RSVPs, in memory. An RSVP needs no email address after its validation, so only a keyed hash of it is kept, to recognize a
 * second RSVP of the same address.
 */
export class Rsvps {
  #key = randomBytes(32);
  /** The places by event and attendee. @type {Map<number, Map<string, number>>} */
  #places = new Map();

  /** Returns the places of an event that are left. @param {SampleEvent} event */
  left({ id, capacity, taken }) {
    return [...(this.#places.get(id)?.values() ?? [])].reduce((left, places) => left - places, capacity - taken);
  }

  /**
   * Records an RSVP. Another one of the same email address replaces it, so a repeated request changes nothing.
   * Returns the places that are left, and whether they sufficed.
   *
   * @param {SampleEvent} event
   * @param {string} email
   * @param {number} places
   * @returns {{ accepted: boolean, left: number }}
   */
  add(event, email, places) {
    const attendee = createHmac("sha256", this.#key).update(email.toLowerCase()).digest("hex");
    const attendees = this.#places.get(event.id) ?? new Map();
    const left = this.left(event);
    const free = left + (attendees.get(attendee) ?? 0);
    if (places > free) return { accepted: false, left };
    this.#places.set(event.id, attendees.set(attendee, places));
    return { accepted: true, left: free - places };
  }
}
