import { Notice } from "@colonnade/design";
import { Link } from "@colonnade/kit";
import { useState, type ReactElement } from "react";

import { SECTION_NAME } from "../breadcrumbs";
import { eventTrail, type EventData } from "../eventData";
import { listPath } from "../paths";
import { DataAge } from "./DataAge";
import { EventDetail } from "./EventDetail";
import css from "./EventPage.module.css";
import { PageFrame } from "./PageFrame";
import { RsvpCard } from "./RsvpCard";
import { SampleNotice } from "./SampleNotice";
import { Unavailable } from "./Unavailable";

/** The page of an event, and the page after an RSVP without JavaScript. */
export function EventPage({ data }: { readonly data: EventData }): ReactElement {
  const { path, details, outcome, isOver } = data;
  const [rsvps, setRsvps] = useState(0);
  return (
    <PageFrame trail={eventTrail(data)} heading={details ? details.event.title : SECTION_NAME}>
      {outcome && (
        <Notice kind={outcome.kind} title={outcome.title}>
          <p>{outcome.text}</p>
        </Notice>
      )}
      {details ? (
        <>
          <DataAge asOf={details.asOf} path={path} />
          <SampleNotice />
          <div className={css.columns}>
            <EventDetail details={details} rsvps={rsvps} />
            {(outcome?.canRetry ?? true) && (
              <RsvpCard
                event={details.event.id}
                isOver={isOver}
                onSuccess={() => {
                  setRsvps(rsvps + 1);
                }}
              />
            )}
          </div>
          <p>
            <Link
              to={listPath({ city: details.city.slug })}
              className={css.back}
            >{`All events in ${details.city.name}`}</Link>
          </p>
        </>
      ) : (
        <Unavailable what="This event is unavailable" path={path} />
      )}
    </PageFrame>
  );
}
