import { Badge } from "@colonnade/design";
import { Link, query, useSite } from "@colonnade/kit";
import { defineExtension } from "@colonnade/kit/extensions";
import { useId, type ReactElement } from "react";

import { SECTION_NAME } from "../breadcrumbs";
import { formatDay, formatTime, relativeDay } from "../dates";
import { listing } from "../examples";
import { eventPath, listPath, listQuery, slugOf } from "../paths";
import { listingSchema, type City, type EventSummary } from "../schemas";
import css from "./cityAside.module.css";

/** What the page of a city passes. */
interface CityProps {
  readonly state: string;
  readonly city: string;
}

/** The most events that are shown. */
const MAX_EVENTS = 3;

/** The next events of a city, on its page in another section. Without events or without the API, there is nothing to show. */
export const extension = defineExtension({
  order: 20,
  queries: ({ props, site }: { props: CityProps; site: { today: string } }) => ({
    listing: query(listQuery({ city: slugOf(props.city) }, site.today), listingSchema),
  }),
  data: ({ props, results: { listing } }) => {
    if (!listing.ok) return null;
    const { city, events } = listing.value;
    // Other states have cities of this name.
    if (city.name !== props.city || city.state !== props.state || events.length === 0) return null;
    const next = events.slice(0, MAX_EVENTS);
    return { city, events: next.map(({ id, date, time, title, sample }) => ({ id, date, time, title, sample })) };
  },
  examples: () => [{ props: { state: "Oregon", city: "Portland" }, results: { listing } }],
  Component: NextEvents,
});

interface NextEventsProps {
  readonly data: {
    readonly city: City;
    readonly events: readonly Pick<EventSummary, "id" | "date" | "time" | "title" | "sample">[];
  };
}

function NextEvents({ data: { city, events } }: NextEventsProps): ReactElement {
  const { today } = useSite();
  const heading = useId();
  return (
    <aside className={css.aside} aria-labelledby={heading}>
      <h2 id={heading}>{`${SECTION_NAME} in ${city.name}`}</h2>
      {events.some(({ sample }) => sample) && (
        <p className={css.muted}>These events are samples. None of them takes place.</p>
      )}
      <ul>
        {events.map(({ id, date, time, title, sample }) => (
          <li key={id}>
            <Link to={eventPath(city.slug, id)}>{title}</Link>
            {sample && <Badge sample>Sample event</Badge>}
            <time dateTime={`${date}T${time}`} className={css.muted}>
              {`${relativeDay(date, today) ?? formatDay(date)}, ${formatTime(time)}`}
            </time>
          </li>
        ))}
      </ul>
      <Link to={listPath({ city: city.slug })}>All events</Link>
    </aside>
  );
}
