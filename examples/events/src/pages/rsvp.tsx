import { definePage, notFound, query } from "@colonnade/kit";

import { EventPage } from "../components/EventPage";
import { readEvent } from "../eventData";
import { eventHead } from "../eventHead";
import { future } from "../examples";
import { OUTCOMES } from "../outcomes";
import { eventPath, eventQuery } from "../paths";
import { eventSchema } from "../schemas";

/** An event after an RSVP without JavaScript. The outcome is in the path, so a reload posts nothing again. */
export const page = definePage({
  queries: ({ params }) => ({ event: query(eventQuery(params.event), eventSchema) }),
  data: ({ params, site, results }) => {
    const outcome = OUTCOMES.get(params.outcome ?? "");
    if (!outcome) return notFound("Page not found");
    const event = readEvent(results.event, params, site.today);
    return "details" in event ? { ...event, outcome } : event;
  },
  examples: () =>
    [...OUTCOMES.keys()].map((outcome) => ({
      path: `${eventPath("portland", 7)}/rsvp/${outcome}`,
      results: { event: future },
    })),
  head: ({ data, site }) => eventHead(data, site),
  Component: ({ data }) => <EventPage data={data} />,
});
