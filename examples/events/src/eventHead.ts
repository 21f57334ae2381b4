import type { Head, Site } from "@colonnade/kit";

import { SECTION_NAME } from "./breadcrumbs";
import { formatDay, formatTime } from "./dates";
import { eventTrail, type EventData } from "./eventData";

/** The document head of an event's pages. */
export function eventHead(data: EventData, { brand }: Site): Head {
  const { path, details, outcome } = data;
  const title = details ? details.event.title : SECTION_NAME;
  return {
    title: `${outcome ? `${outcome.title}: ` : ""}${title} - ${brand}`,
    description: details
      ? `A sample event in ${details.city.name}: ${formatDay(details.event.date)}, ${formatTime(details.event.time)}.`
      : "A sample event.",
    canonical: path,
    robots: "noindex",
    breadcrumbs: eventTrail(data),
  };
}
