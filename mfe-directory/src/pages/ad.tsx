import { classes, Notice } from "@colonnade/design";
import { definePage, Link, notFound } from "@colonnade/kit";
import { ExtensionPoint } from "@colonnade/kit/extensions";

import { AdDetail } from "../components/ad/AdDetail";
import { AdNeighbors } from "../components/ad/AdNeighbors";
import css from "../components/ad/AdPage.module.css";
import { ReportHelp } from "../components/ReportHelp";
import { BreadcrumbRow } from "../components/search/BreadcrumbRow";
import type { Ad } from "../data/ad";
import { ADS, findRegularAd } from "../data/ads";
import { adPath, cityPath } from "../data/links";
import type { Place } from "../data/links";
import { adAside } from "../points";
import { adBreadcrumbs } from "../text/breadcrumbs";

/** Data of an ad's page. */
export interface AdData {
  readonly place: Place;
  readonly ad: Ad;
}

/** An ad's page within a city. */
export const page = definePage<AdData>({
  extensionPoints: [adAside],
  data: async ({ params }) => {
    const { cityNotFound, findPlace } = await import("../data/lookup");
    const place = await findPlace(params);
    if (!place) return cityNotFound(params.state);
    const ad = findRegularAd(params.ad);
    if (ad) return { place, ad };
    return notFound("Ad not found", {
      text: "This sample ad doesn’t exist.",
      link: { label: `Browse ${place.city} ads`, path: cityPath(place) },
    });
  },
  paths: () => ADS.regular.slice(0, 1).map(({ id }) => adPath({ state: "Alabama", city: "Birmingham" }, id)),
  head: ({ data: { place, ad }, site }) => {
    const title = ad.sample
      ? `Sample ad: ${ad.title} in ${place.city}, ${place.state} - ${site.brand}`
      : `${ad.title} in ${place.city}, ${place.state} - ${site.brand}`;
    const description = `${ad.sample ? "A sample ad" : "An ad"} in ${place.city}, ${place.state}. For adults, 18 or older.`;
    const path = adPath(place, ad.id);
    return {
      title,
      description,
      canonical: path,
      robots: "noindex",
      social: { title, description, type: "website", url: path },
      breadcrumbs: adBreadcrumbs(place, ad),
    };
  },
  Component: ({ data: { place, ad } }) => (
    <div className={classes("page", css.page)}>
      <BreadcrumbRow trail={adBreadcrumbs(place, ad)} />
      <div className={css.column}>
        <div className={css.top}>
          {ad.sample && (
            <Notice>
              <p>This is a sample ad, not a real person. Replies go nowhere.</p>
            </Notice>
          )}
          <ExtensionPoint point={adAside} props={place} />
          <AdDetail ad={ad} place={place} />
        </div>
        <AdNeighbors ad={ad} place={place} />
        <Link to={cityPath(place)} className={css.back}>
          {`Back to ${place.city} ads`}
        </Link>
      </div>
      <ReportHelp heading="Report this ad" subject={`Report ad ${String(ad.id)} in ${place.city}, ${place.state}`} />
    </div>
  ),
});
