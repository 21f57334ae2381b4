import { definePage, Link, notFound } from "@colonnade/kit";
import { lazy, Suspense } from "react";

import { CITIES, comparisonPath } from "../cities";
import { TemperatureChart } from "../TemperatureChart";

const CurrentWeather = lazy(() => import("../CurrentWeather"));

/** Two cities side by side. */
export const page = definePage({
  data: ({ params }) => {
    const one = CITIES.get(params.one ?? "");
    const other = CITIES.get(params.other ?? "");
    return one && other && one !== other ? { one, other } : notFound("Cities not found");
  },
  paths: () => [comparisonPath("Oslo", "São Paulo"), comparisonPath("Amsterdam", "Lisbon")],
  head: ({ data: { one, other }, site }) => ({
    title: `${one.name} and ${other.name} - ${site.brand}`,
    description: `The climates of ${one.name} and ${other.name} side by side.`,
    canonical: comparisonPath(one.name, other.name),
  }),
  Component: ({ data: { one, other } }) => (
    <div className="page">
      <h1>{`${one.name} and ${other.name}`}</h1>
      <TemperatureChart cities={[one, other]} />
      <Suspense fallback={<p>Loading the weather</p>}>
        <CurrentWeather key={one.name} city={one.name} />
        <CurrentWeather key={other.name} city={other.name} />
      </Suspense>
      <Link to="/compare-cities">Compare other cities</Link>
    </div>
  ),
});
