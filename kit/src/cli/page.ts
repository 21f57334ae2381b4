import path from "node:path";

import { readRelease, RELEASE_FOLDER, type Release } from "../build/release.js";
import { UsageError } from "../build/usageError.js";

/** Returns the release of the last build in this folder, current or not; undefined if there is none. */
export async function builtRelease(folder: string): Promise<Release | undefined> {
  return readRelease(path.join(folder, RELEASE_FOLDER)).catch((error: unknown) => {
    if (error instanceof UsageError) return undefined;
    throw error;
  });
}

/** Returns the first listed path of a release's first page without params, or else the path of the site's home page. */
export function firstPath({ pages }: Release): string {
  const page = pages.find(({ pattern }) => !pattern.includes("/:"));
  return page ? (page.paths[0]?.path ?? page.pattern) : "/";
}

/** Returns the URL of a page. `origin` is the site's, without a trailing slash. */
export function pageUrl(origin: string, pagePath: string): string {
  return new URL(`${origin}${pagePath}`).href;
}
