import { pathTo, type Breadcrumb } from "@colonnade/kit";

/** Path of the hub, which lists all articles. */
export const HUB = "/about-escort-babylon";

/** Path of an article. */
export function articlePath(slug: string): string {
  return pathTo(`${HUB}/:article`, { article: slug });
}

/** Breadcrumbs of the hub. */
export const HUB_BREADCRUMBS: readonly Breadcrumb[] = [
  { label: "Home", path: "/" },
  { label: "Guides", path: HUB },
];
