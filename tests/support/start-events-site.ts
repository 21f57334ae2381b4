import { deployPackages } from "./deploy-packages.mjs";
import { EVENTS, eventsUpstream, startEventsApi, type EventsApi } from "./events-api.mjs";
import { publishedSite } from "./published-site";
import { startSite, type Site } from "./site.mjs";

/** A site with the events example and its API. */
export interface EventsSite {
  readonly site: Site;
  readonly api: EventsApi;
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
