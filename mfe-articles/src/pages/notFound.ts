import { definePage, notFound } from "@colonnade/kit";

import { HUB } from "../routes";

const HEADING = "Guide not found";

/** The page of every unknown article path. */
export const page = definePage<never>({
  data: () => notFound(HEADING),
  head: () => ({ title: HEADING, description: "", canonical: HUB, robots: "noindex" }),
  Component: () => null,
});
