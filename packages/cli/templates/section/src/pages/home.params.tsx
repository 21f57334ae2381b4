import { definePage, Link, pathTo } from "@colonnade/kit";

import { TOPICS } from "../topics";
import css from "../page.module.css";

/** The section's home page. */
export const page = definePage({
  data: ({ params, site }) => ({ brand: site.brand, params }),
  paths: () => ["/section-example"],
  // To reject unknown values, remove this line and return `notFound()` of the kit from `data`.
  anyParams: true,
  head: ({ data, site }) => ({
    title: `Section title - ${site.brand}`,
    description: `A new part of ${site.brand}. Its first page is still being written.`,
    canonical: pathTo("/section-path", data.params),
    // Keeps the placeholder page out of search results. Remove this line when the page has content.
    robots: "noindex",
  }),
  Component: ({ data }) => (
    <div className={css.page}>
      <h1>Section title</h1>
      <p className={css.lead}>This part of {data.brand} is new. Its first page is still being written.</p>
      <p>You asked for {Object.values(data.params).join(", ")}.</p>
      <ul>
        {[...TOPICS].map(([topic, heading]) => (
          <li key={topic}>
            <Link to={pathTo("/section-path/:topic", { ...data.params, topic })}>{heading}</Link>
          </li>
        ))}
      </ul>
    </div>
  ),
});
