import os from "node:os";
import path from "node:path";

const NAME = "COLONNADE_PUBLISHED";

/** Sets the path of the shared initial store once for all processes of a test run. */
export function setPublishedStorePath(): void {
  process.env[NAME] ??= path.join(os.tmpdir(), `colonnade-published-${String(process.pid)}`);
}

/** The shared store, in which the last build's releases are published and live. Publishing them takes seconds. */
export function publishedSite(): { readonly store: string } {
  const store = process.env[NAME];
  if (store === undefined) throw new Error(`${NAME} is not set; playwright.config.ts sets it`);
  return { store };
}
