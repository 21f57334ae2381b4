import { definePage, Link, notFound, pathTo } from "@colonnade/kit";

import css from "../page.module.css";
import { TOPICS } from "../topics";

/** One topic. For an unknown topic the gateway responds with 404. */
export const page = definePage({
  data: ({ params }) => {
    const heading = TOPICS.get(params.topic ?? "");
    return heading === undefined ? notFound("Topic not found") : { heading, params };
  },
  paths: () => ["/section-example/start", "/section-example/finish"],
  head: ({ data, site }) => ({
    title: `${data.heading} - ${site.brand}`,
    description: `${data.heading}: a topic of ${site.brand}.`,
    canonical: pathTo("/section-path/:topic", data.params),
    robots: "noindex",
  }),
  Component: ({ data }) => (
    <div className={css.page}>
      <h1>{data.heading}</h1>
      <Link to={pathTo("/section-path", data.params)}>All topics</Link>
    </div>
  ),
});
