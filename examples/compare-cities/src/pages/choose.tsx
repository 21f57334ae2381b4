import { definePage, Link } from "@colonnade/kit";

import { comparisonPath } from "../cities";
import { CityForm } from "../CityForm";

/** The form, and a comparison to start with. */
export const page = definePage({
  data: () => undefined,
  paths: () => ["/compare-cities"],
  head: ({ site }) => ({
    title: `Compare two cities - ${site.brand}`,
    description: "The climates of two cities side by side.",
    canonical: "/compare-cities",
  }),
  Component: () => (
    <div className="page">
      <h1>Compare two cities</h1>
      <CityForm />
      <Link to={comparisonPath("Oslo", "São Paulo")}>Oslo and São Paulo</Link>
    </div>
  ),
});
