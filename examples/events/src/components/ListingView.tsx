import { useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import { CITIES_PATH } from "../paths";
import type { Listing } from "../schemas";
import { EmptyState } from "./EmptyState";
import { EventList } from "./EventList";
import { Pagination } from "./Pagination";

/** One page of events, or a message if there are none. */
export function ListingView({ listing }: { readonly listing: Listing }): ReactElement {
  const { city, total, page, pages, events } = listing;
  const { today } = useSite();
  if (total === 0)
    return (
      <EmptyState
        title={`Nothing is on in ${city.name}`}
        text="There are no events in the next weeks."
        link={{ to: CITIES_PATH, label: "Other cities" }}
      />
    );
  return (
    <>
      <EventList city={city.slug} events={events} today={today} />
      <Pagination address={{ city: city.slug }} page={page} pages={pages} />
    </>
  );
}
