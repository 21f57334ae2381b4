import { definePage, notFound } from "@colonnade/kit";
import { ExtensionPoint } from "@colonnade/kit/extensions";

import { PageHeading } from "../components/PageHeading";
import { StateLocator } from "../components/state/StateLocator";
import { SampleNotice } from "../components/SampleNotice";
import { BreadcrumbRow } from "../components/search/BreadcrumbRow";
import { Attribution } from "../components/state/Attribution";
import { CityBrowser } from "../components/state/CityBrowser";
import { StateGuide } from "../components/state/StateGuide";
import { statePath } from "../data/links";
import type { StateLocation } from "../data/maps";
import { findState, STATES, type State } from "../data/states";
import { stateAside } from "../points";
import { stateBreadcrumbs } from "../text/breadcrumbs";
import { evidenceOf, wordingFor, type Evidence } from "../text/wording";

interface StateData {
  readonly state: State;
  readonly cities: readonly string[];
  readonly evidence: Evidence;
  /** Absent without cities. */
  readonly location?: StateLocation;
}

/** A state's page, which lists its cities. */
export const page = definePage<StateData>({
  extensionPoints: [stateAside],
  data: async ({ params }) => {
    const state = findState(params.state);
    if (!state)
      return notFound("State not found", { text: "There’s no state with this name. All 50 are on the home page." });
    const [{ ALL_ADS }, { citiesOf, locateState }] = await Promise.all([
      import("../data/ads"),
      import("../data/lookup"),
    ]);
    const cities = await citiesOf(state.name);
    const location = await locateState(state.name, cities);
    return { state, cities, evidence: evidenceOf(ALL_ADS), ...(location && { location }) };
  },
  paths: () => STATES.map(({ name }) => statePath(name)),
  head: ({ data, site }) => {
    const { name } = data.state;
    const wording = wordingFor(data.evidence);
    const title = wording.stateTitle(site.brand, name);
    const description = `${wording.stateSubtitle(name, data.cities.length)}. For adults, 18 or older.`;
    const path = statePath(name);
    return {
      title,
      description,
      keywords: wording.stateKeywords(name),
      canonical: path,
      robots: "noindex,nofollow",
      social: { title, description, type: "website", url: path },
      breadcrumbs: stateBreadcrumbs(name),
    };
  },
  layout: ({ data }) => ({
    ...(data.state.header && { header: data.state.header }),
    footerNote: wordingFor(data.evidence).stateFooterNote(data.state.name),
  }),
  Component: ({ data: { state, cities, evidence, location } }) => {
    const wording = wordingFor(evidence);
    return (
      <div className="page">
        <BreadcrumbRow trail={stateBreadcrumbs(state.name)} />
        <PageHeading
          heading={wording.stateHeading(state.name)}
          subtitle={wording.stateSubtitle(state.name, cities.length)}
        >
          <SampleNotice evidence={evidence} />
        </PageHeading>
        <ExtensionPoint point={stateAside} props={{ state: state.name }} />
        {location && <StateLocator state={state.name} cities={cities} location={location} />}
        <CityBrowser key={state.name} state={state} cities={cities} rowText={wording.cityRow} />
        <StateGuide state={state.name} cities={cities} />
        <Attribution />
      </div>
    );
  },
});
