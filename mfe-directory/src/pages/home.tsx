import { definePage } from "@colonnade/kit";
import { Suspense } from "react";

import { Hero } from "../components/home/Hero";
import { BelowFold } from "../components/home/BelowFold";
import { Benefits } from "../components/home/Benefits";
import { CallToAction } from "../components/home/CallToAction";
import { Faq } from "../components/home/Faq";
import { Guides } from "../components/home/Guides";
import { StateGrid } from "../components/home/StateGrid";
import { StateMap } from "../components/home/StateMap";
import { TabCities } from "../components/home/TabCities";
import { Testimonial } from "../components/home/Testimonial";
import { STATES } from "../data/states";

/** The home page. It needs no data. */
export const page = definePage({
  data: () => ({}),
  paths: () => ["/"],
  head: ({ site }) => {
    const title = `${site.brand} - Browse by State and City`;
    const description = `An 18+ directory for the United States: choose one of ${String(STATES.length)} states, then a city, and read short sample ads.`;
    return { title, description, canonical: "/", social: { title, description, type: "website", url: "/" } };
  },
  Component: () => (
    <div className="page">
      <Hero />
      {/* Hydrates after the search above it: its links work as HTML. */}
      <Suspense>
        <StateMap />
        <Guides />
        <StateGrid />
      </Suspense>
      <BelowFold>
        <Benefits />
        <Testimonial />
        <Faq />
        <CallToAction />
      </BelowFold>
      <TabCities />
    </div>
  ),
});
