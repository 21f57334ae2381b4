import { definePage, notFound, query, redirect, type Breadcrumb } from "@colonnade/kit";

import { SECTION_NAME, trailTo } from "../breadcrumbs";
import { DataAge } from "../components/DataAge";
import { ListingView } from "../components/ListingView";
import { PageFrame } from "../components/PageFrame";
import { SampleNotice } from "../components/SampleNotice";
import { Unavailable } from "../components/Unavailable";
import { listing, missing } from "../examples";
import { listPath, listQuery, type ListAddress } from "../paths";
import { listingSchema, type Listing } from "../schemas";

interface ListData {
  readonly address: ListAddress;
  /** Null if the query failed. */
  readonly listing: Listing | null;
}

/** The parameters of the patterns that list events. */
function addressOf({ city = "", page }: Readonly<Record<string, string>>): ListAddress {
  return { city, ...(page !== undefined && { page }) };
}

/** `What’s on in Portland`, or without the city if the query for it failed. */
function headingOf({ listing }: ListData): string {
  return listing ? `${SECTION_NAME} in ${listing.city.name}` : SECTION_NAME;
}

function trailOf({ address, listing }: ListData): readonly Breadcrumb[] {
  const { city, page } = address;
  const steps = [{ label: listing?.city.name ?? "City", path: listPath({ city }) }];
  if (page !== undefined) steps.push({ label: `Page ${String(page)}`, path: listPath(address) });
  return trailTo(...steps);
}

/** The events of a city, also further pages. */
export const page = definePage({
  queries: ({ params, site }) => ({ listing: query(listQuery(addressOf(params), site.today), listingSchema) }),
  data: ({ params, results: { listing } }) => {
    const address = addressOf(params);
    // The first page has one path only.
    if (address.page === "1") return redirect(listPath({ ...address, page: 1 }));
    if (!listing.ok && listing.status === 404) return notFound(address.page ? "Page not found" : "City not found");
    return { address, listing: listing.ok ? listing.value : null };
  },
  paths: () => [listPath({ city: "portland" })],
  examples: () =>
    [listing, missing].map((result) => ({ path: listPath({ city: "portland" }), results: { listing: result } })),
  head: ({ data, site }) => {
    const { page } = data.address;
    return {
      title: `${headingOf(data)}${page === undefined ? "" : `, page ${String(page)}`} - ${site.brand}`,
      description: `${headingOf(data)}: sample events, day by day.`,
      canonical: listPath(data.address),
      robots: "noindex",
      breadcrumbs: trailOf(data),
    };
  },
  Component: ({ data }) => {
    const { address, listing } = data;
    const path = listPath(address);
    return (
      <PageFrame trail={trailOf(data)} heading={headingOf(data)}>
        {listing ? (
          <>
            <DataAge asOf={listing.asOf} path={path} />
            <SampleNotice />
            <ListingView listing={listing} />
          </>
        ) : (
          <Unavailable what="The events are unavailable" path={path} />
        )}
      </PageFrame>
    );
  },
});
