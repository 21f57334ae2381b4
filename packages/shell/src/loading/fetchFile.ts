import type { Asset, SectionEntry } from "@colonnade/kit/shell";

import { withTimeout } from "./timeout.js";

const STALL_TIMEOUT = 8_000;

/**
 * Downloads a file, so that the browser's cache has it. Ends if nothing arrives for 8 seconds, however long the whole file
 * takes.
 *
 * @returns Whether the file came.
 */
export async function fetchFile(url: string, cache: RequestCache): Promise<boolean> {
  const request = new AbortController();
  try {
    const response = await withTimeout(fetch(url, { cache, signal: request.signal }), STALL_TIMEOUT, url);
    // The whole file: only then does the browser store it.
    const reader = response.body?.getReader();
    while (reader && !(await withTimeout(reader.read(), STALL_TIMEOUT, url)).done);
    return response.ok;
  } catch {
    request.abort();
    return false;
  }
}

/** Fetches a section's files again, past the browser's cache. Assets are immutable, so a corrupt file would stay cached. */
export async function refetch(entry: SectionEntry, assets: readonly Asset[]): Promise<void> {
  const urls = [entry.entry, ...entry.assets.map((asset) => asset.href), ...assets.map((asset) => asset.href)];
  await Promise.all(urls.map((url) => fetchFile(url, "reload")));
}
