import { Link, useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import { CITIES_PATH, listPath, type ListAddress } from "../paths";
import type { Listing } from "../schemas";
import { EmptyState } from "./EmptyState";
import { EventList } from "./EventList";
import css from "./ListingView.module.css";
import { Pagination } from "./Pagination";
import { SearchForm } from "./SearchForm";

interface Props {
  readonly address: ListAddress;
  readonly listing: Listing;
}

/** The search form and one page of events, or a message if there are none. */
export function ListingView({ address, listing: { city, total, page, pages, events } }: Props): ReactElement {
  const { today } = useSite();
  const { search } = address;
  const all = { to: listPath({ city: city.slug }), label: `All events in ${city.name}` };
  if (total === 0 && search === undefined)
    return (
      <EmptyState
        title={`Nothing is on in ${city.name}`}
        text="There are no events in the next weeks."
        link={{ to: CITIES_PATH, label: "Other cities" }}
      />
    );
  return (
    <>
      <SearchForm city={city} search={search ?? ""} />
      {total === 0 ? (
        <EmptyState title={`No events match “${search ?? ""}”`} text="Try other words, or fewer." link={all} />
      ) : (
        <>
          {search !== undefined && (
            <p className={css.count}>
              <span>{`${String(total)} ${total === 1 ? "event matches" : "events match"} “${search}”.`}</span>{" "}
              <Link to={all.to}>{all.label}</Link>
            </p>
          )}
          <EventList city={city.slug} events={events} today={today} />
          <Pagination address={address} page={page} pages={pages} />
        </>
      )}
    </>
  );
}
