import { JoinButton } from "@colonnade/design";
import { definePage } from "@colonnade/kit";
import { ExtensionPoint } from "@colonnade/kit/extensions";

import content from "../../content/ads.json";
import { ReportHelp } from "../components/ReportHelp";
import { PageHeading } from "../components/PageHeading";
import { CityLocator } from "../components/city/CityLocator";
import { SampleNotice } from "../components/SampleNotice";
import { BreadcrumbRow } from "../components/search/BreadcrumbRow";
import { CityAds } from "../components/city/CityAds";
import css from "../components/city/CityPage.module.css";
import { ALL_ADS } from "../data/ads";
import { checkAds } from "../data/checkAds";
import { cityPath } from "../data/links";
import type { CityLocation } from "../data/maps";
import type { Place } from "../data/links";
import { cityAside } from "../points";
import { cityBreadcrumbs } from "../text/breadcrumbs";
import { evidenceOf, wordingFor, type Evidence } from "../text/wording";

interface CityData {
  readonly place: Place;
  readonly evidence: Evidence;
  readonly location?: CityLocation;
}

// A plain name, an apostrophe, a non-ASCII letter.
const EXAMPLES: readonly Place[] = [
  { state: "Alabama", city: "Birmingham" },
  { state: "Missouri", city: "O'Fallon" },
  { state: "Hawaii", city: "‘Ewa Beach" },
];

/** A city's page, which lists its ads. */
export const page = definePage<CityData>({
  extensionPoints: [cityAside],
  data: async ({ params }) => {
    const { citiesOf, cityNotFound, findPlace, locateCity } = await import("../data/lookup");
    const place = await findPlace(params);
    if (!place) return cityNotFound(params.state);
    const location = await locateCity(place, await citiesOf(place.state));
    return { place, evidence: evidenceOf(ALL_ADS), ...(location && { location }) };
  },
  paths: () => EXAMPLES.map(cityPath),
  // The build calls it, so an invalid ad fails the build. Releases for browsers do not contain the check.
  examples: () => {
    checkAds(content);
    return [];
  },
  head: ({ data: { place, evidence }, site }) => {
    const wording = wordingFor(evidence);
    const title = wording.cityTitle(site.brand, place.city, place.state);
    const description = wording.cityDescription(place.city, place.state);
    const path = cityPath(place);
    return {
      title,
      description,
      canonical: path,
      robots: "noindex",
      social: { title, description, type: "website", url: path },
      breadcrumbs: cityBreadcrumbs(place),
    };
  },
  Component: ({ data: { place, evidence, location } }) => {
    const name = `${place.city}, ${place.state}`;
    return (
      <div className="page">
        <BreadcrumbRow trail={cityBreadcrumbs(place)} />
        <PageHeading heading={name}>
          <SampleNotice evidence={evidence} />
        </PageHeading>
        <ExtensionPoint point={cityAside} props={place} />
        {location && <CityLocator place={place} location={location} />}
        <CityAds place={place} />
        <div className={css.next}>
          <JoinButton className="button" reason={evidence.samples === "none" ? "general" : "sample"}>
            Next Page →
          </JoinButton>
        </div>
        <ReportHelp heading="Report an ad" subject={`Report an ad in ${name}`} />
      </div>
    );
  },
});
