import { Badge, Card } from "@colonnade/design";
import { useHydrated } from "@colonnade/kit";
import type { ReactElement } from "react";

import { formatDay, formatTime } from "../dates";
import type { EventDetails } from "../schemas";
import css from "./EventDetail.module.css";
import { PlacesLeft } from "./PlacesLeft";

interface Props {
  readonly details: EventDetails;
  /** The RSVPs that the visitor has sent from this page. After each one, the places are fetched again. */
  readonly rsvps: number;
}

/** Everything about an event. */
export function EventDetail({ details: { city, event }, rsvps }: Props): ReactElement {
  const isHydrated = useHydrated();
  return (
    <Card as="section" aria-label="About this event" className={css.event}>
      <p className={css.tags}>
        {event.sample && <Badge sample>Sample event</Badge>} <Badge>{event.kind}</Badge>
      </p>
      <p className={css.summary}>{event.summary}</p>
      <dl className={css.facts}>
        <div>
          <dt>When</dt>
          <dd>
            <time
              dateTime={`${event.date}T${event.time}`}
            >{`${formatDay(event.date)}, ${formatTime(event.time)}`}</time>
          </dd>
        </div>
        <div>
          <dt>Where</dt>
          <dd>
            {event.venue} {event.sample && <Badge sample>Sample venue</Badge>}
            <br />
            {`${event.address}, ${city.name}, ${city.state}`}
          </dd>
        </div>
        <div>
          <dt>Places</dt>
          <dd>
            {`${String(event.capacity)} in all`}
            {/* The browser fetches what is left. The space is reserved, so the layout does not shift. */}
            <div role="status" className={css.places}>
              {isHydrated && <PlacesLeft key={rsvps} event={event.id} />}
            </div>
          </dd>
        </div>
      </dl>
    </Card>
  );
}
