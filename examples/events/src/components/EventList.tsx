import { Badge, Card } from "@colonnade/design";
import { Link } from "@colonnade/kit";
import { useId, type ReactElement } from "react";

import { byDate, formatDay, formatTime, relativeDay } from "../dates";
import { eventPath } from "../paths";
import type { EventSummary } from "../schemas";
import css from "./EventList.module.css";

interface Props {
  /** Slug of the city. */
  readonly city: string;
  readonly events: readonly EventSummary[];
  /** The day from which days are named, `YYYY-MM-DD`. */
  readonly today: string;
}

/** Events, day by day. */
export function EventList({ city, events, today }: Props): ReactElement {
  return (
    <div className={css.days}>
      {byDate(events).map((day) => (
        <section key={day.date} className={css.day} aria-labelledby={`day-${day.date}`}>
          <h2 id={`day-${day.date}`}>
            <Day date={day.date} today={today} />
          </h2>
          <ul className={css.events}>
            {day.events.map((event) => (
              <li key={event.id}>
                <EventCard city={city} event={event} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Day({ date, today }: { readonly date: string; readonly today: string }): ReactElement {
  const relative = relativeDay(date, today);
  const [weekday, day] = formatDay(date).split(", ");
  return (
    <time dateTime={date}>
      {relative ?? weekday}
      <span className={css.date}>
        <span className="visually-hidden">, </span>
        <span>{relative ? `${weekday?.slice(0, 3) ?? ""}, ${day ?? ""}` : day}</span>
      </span>
    </time>
  );
}

function EventCard({ city, event }: { readonly city: string; readonly event: EventSummary }): ReactElement {
  const heading = useId();
  return (
    <Card as="article" linked aria-labelledby={heading} className={css.card}>
      <p className={css.time}>
        <time dateTime={`${event.date}T${event.time}`}>{formatTime(event.time)}</time>
      </p>
      <div className={css.body}>
        <h3 id={heading}>
          <Link to={eventPath(city, event.id)}>{event.title}</Link>
        </h3>
        <p className={css.tags}>
          {event.sample && <Badge sample>Sample event</Badge>} <Badge>{event.kind}</Badge>
        </p>
        <p>{event.summary}</p>
        <p className={css.venue}>
          {event.venue} {event.sample && <Badge sample>Sample venue</Badge>}
        </p>
      </div>
    </Card>
  );
}
