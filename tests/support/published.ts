import os from "node:os";
import path from "node:path";

const NAME = "COLONNADE_PUBLISHED";

/** Settles, once for all processes of a run, where the store is that every site of the tests begins with. */
export function nameStore(): void {
  process.env[NAME] ??= path.join(os.tmpdir(), `colonnade-published-${String(process.pid)}`);
}

/** A store in which the releases of the last build are published and live: publishing them takes seconds. */
export function published(): { readonly store: string } {
  const store = process.env[NAME];
  if (store === undefined) throw new Error(`${NAME} is not set; playwright.config.ts sets it`);
  return { store };
}
