import { definePage, query } from "@colonnade/kit";

import { EventPage } from "../components/EventPage";
import { eventHead } from "../eventHead";
import { readEvent } from "../eventData";
import { future, missing, past } from "../examples";
import { eventPath, eventQuery } from "../paths";
import { eventSchema } from "../schemas";

/** One event. It lists no paths, because the build does not know which events exist. */
export const page = definePage({
  queries: ({ params }) => ({ event: query(eventQuery(params.event), eventSchema) }),
  data: ({ params, site, results }) => readEvent(results.event, params, site.today),
  examples: () => [past, future, missing].map((event) => ({ path: eventPath("portland", 7), results: { event } })),
  head: ({ data, site }) => eventHead(data, site),
  Component: ({ data }) => <EventPage data={data} />,
});
