import { definePage, Link } from "@colonnade/kit";

import { TOPICS } from "../topics";
import css from "../page.module.css";

/** The section's home page. */
export const page = definePage({
  data: ({ site }) => ({ brand: site.brand }),
  paths: () => ["/section-path"],
  head: ({ site }) => ({
    title: `Section title - ${site.brand}`,
    description: `A new part of ${site.brand}. Its first page is still being written.`,
    canonical: "/section-path",
    // Keeps the placeholder page out of search results. Remove this line when the page has content.
    robots: "noindex",
  }),
  Component: ({ data }) => (
    <div className={css.page}>
      <h1>Section title</h1>
      <p className={css.lead}>This part of {data.brand} is new. Its first page is still being written.</p>
      <ul>
        {[...TOPICS].map(([topic, heading]) => (
          <li key={topic}>
            <Link to={`/section-example/${topic}`}>{heading}</Link>
          </li>
        ))}
      </ul>
    </div>
  ),
});
