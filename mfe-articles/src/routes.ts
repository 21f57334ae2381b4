import { pathTo, type Breadcrumb } from "@colonnade/kit";

/** Path of the hub, where all articles are listed. */
export const HUB = "/about-escort-babylon";

/** Path of an article. */
export function articlePath(slug: string): string {
  return pathTo(`${HUB}/:article`, { article: slug });
}

/** The trail to the hub. */
export const HUB_TRAIL: readonly Breadcrumb[] = [
  { label: "Home", path: "/" },
  { label: "About", path: HUB },
];
