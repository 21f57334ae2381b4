import { definePage, notFound } from "@colonnade/kit";

import { HUB } from "../routes";

const HEADING = "Article not found";

/** Stands where an article could be and none is. */
export const page = definePage<never>({
  data: () => notFound(HEADING),
  head: () => ({ title: HEADING, description: "", canonical: HUB, robots: "noindex" }),
  Component: () => null,
});
