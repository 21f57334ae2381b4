import path from "node:path";

import { isStaticPattern } from "@colonnade/kit/contract";

import { readRelease, RELEASE_FOLDER, type Release } from "../build/release.js";
import { UsageError } from "../build/usageError.js";

/** Returns the release of the last build in this folder, current or not; undefined if there is none. */
export async function builtRelease(folder: string): Promise<Release | undefined> {
  return readRelease(path.join(folder, RELEASE_FOLDER)).catch((error: unknown) => {
    if (error instanceof UsageError) return undefined;
    throw error;
  });
}

/**
 * Returns the path of a page of a release: of the first page without params, or else the first listed path, or else the path
 * of the site's home page. The gateway selects the same one for a deploy.
 */
export function firstPath({ pages }: Release): string {
  const page = pages.find(({ pattern }) => isStaticPattern(pattern));
  return page?.pattern ?? pages.flatMap(({ paths }) => paths)[0]?.path ?? "/";
}

/** Returns the URL of a page. `origin` is the site's, without a trailing slash. */
export function pageUrl(origin: string, pagePath: string): string {
  return new URL(`${origin}${pagePath}`).href;
}
