import { definePage, notFound, query, type Breadcrumb } from "@colonnade/kit";

import { SECTION_NAME, trailTo } from "../breadcrumbs";
import { DataAge } from "../components/DataAge";
import { ListingView } from "../components/ListingView";
import { PageFrame } from "../components/PageFrame";
import { SampleNotice } from "../components/SampleNotice";
import { Unavailable } from "../components/Unavailable";
import { listing, missing } from "../examples";
import { listPath, listQuery, listSearch, type ListAddress } from "../paths";
import { listingSchema, type Listing } from "../schemas";

interface ListData {
  readonly address: Required<ListAddress>;
  /** Null if the query failed. */
  readonly listing: Listing | null;
}

/** `What’s on in Portland`, or without the city if the query for it failed. */
function headingOf({ listing }: ListData): string {
  return listing ? `${SECTION_NAME} in ${listing.city.name}` : SECTION_NAME;
}

function trailOf({ address: { city }, listing }: ListData): readonly Breadcrumb[] {
  return trailTo({ label: listing?.city.name ?? "City", path: listPath({ city }) });
}

/** The events of a city, page by page. */
export const page = definePage({
  search: listSearch,
  queries: ({ params: { city = "" }, search: { page }, site }) => ({
    listing: query(listQuery({ city, page }, site.today), listingSchema),
  }),
  data: ({ params: { city = "" }, search: { page }, results: { listing } }) => {
    const address = { city, page };
    if (!listing.ok && listing.status === 404) return notFound(page > 1 ? "Page not found" : "City not found");
    return { address, listing: listing.ok ? listing.value : null };
  },
  paths: () => [listPath({ city: "portland" }), listPath({ city: "portland", page: 2 })],
  examples: () =>
    [1, 2].flatMap((page) =>
      [listing, missing].map((result) => ({
        path: listPath({ city: "portland", page }),
        results: { listing: result },
      })),
    ),
  head: ({ data, site }) => {
    const { page } = data.address;
    return {
      title: `${headingOf(data)}${page === 1 ? "" : `, page ${String(page)}`} - ${site.brand}`,
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
