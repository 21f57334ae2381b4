import { test as base } from "./fixtures";
import { deployPackages } from "./deploy-packages.mjs";
import { EVENTS, eventsUpstream, startEventsApi, type EventsApi } from "./events-api.mjs";
import { publishedSite } from "./published-site";
import { startSite, type Site } from "./site.mjs";

/** A site with the events example and its API. */
export interface EventsSite {
  readonly site: Site;
  readonly api: EventsApi;
}

export interface EventsFixtures {
  /** This worker's site with the example. Tests must not break it. */
  events: EventsSite;
}

// As in site.mjs, and the same for queries: generous limits for a busy machine.
const RENDER = { warm_cache: false, deadline_ms: 10_000, cpu_limit_ms: 5_000 };

/** Starts a site with the example. Stop the site, then the API. */
export async function startEventsSite(queryDeadline = 5_000): Promise<EventsSite> {
  const api = await startEventsApi();
  const site = await startSite({
    base: publishedSite(),
    config: {
      render: { ...RENDER, query_deadline_ms: queryDeadline },
      ...eventsUpstream(api.url, { rate_limit_per_client_per_minute: 100_000 }),
    },
  });
  await deployPackages(site.access, [EVENTS]);
  return { site, api };
}

/** The `test` of the events example: `page` opens its site. */
export const test = base.extend<object, EventsFixtures>({
  events: [
    async ({}, use) => {
      const events = await startEventsSite();
      await use(events);
      await events.site.stop();
      await events.api.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseURL: async ({ events }, use) => {
    await use(events.site.url);
  },
});

export { expect } from "@playwright/test";
