import { isChunkLoadError } from "../errorClass.js";
import { refetchChunk } from "./refetchChunk.js";
import { loadWithRetries } from "./retries.js";

/**
 * Loads a shared package, with retries until it succeeds: webpack would not ask for it again.
 *
 * @returns What `require` returns. Only the namespace that webpack makes of a CommonJS module has no prototype.
 */
export async function loadPackage(load: () => Promise<object>): Promise<Factory> {
  const module = await loadWithRetries(load, async (error) => {
    if (!isChunkLoadError(error)) throw error;
    await refetchChunk(error);
  });
  return () => (Object.getPrototypeOf(module) ? module : (module as { readonly default: unknown }).default);
}

/** What a container gets of a package: a function that returns its module. */
export type Factory = () => unknown;
