import type { Head, SiteFacts } from "@colonnade/kit";

import { SECTION_NAME } from "./breadcrumbs";
import { formatDay, formatTime } from "./dates";
import { eventTrail, type EventData } from "./eventData";

/** The document head of an event's pages. */
export function eventHead(data: EventData, { brand }: SiteFacts): Head {
  const { path, answer, outcome } = data;
  const title = answer ? answer.event.title : SECTION_NAME;
  return {
    title: `${outcome ? `${outcome.title}: ` : ""}${title} - ${brand}`,
    description: answer
      ? `A sample event in ${answer.city.name}: ${formatDay(answer.event.date)}, ${formatTime(answer.event.time)}.`
      : "A sample event.",
    canonical: path,
    robots: "noindex",
    breadcrumbs: eventTrail(data),
  };
}
