import { fetchFile } from "./fetchFile.js";

/** The error of webpack for a chunk that did not load. */
export interface ChunkLoadError extends Error {
  /** URL of the file. */
  readonly request?: string;
  readonly type?: "timeout" | "error" | "missing";
}

/**
 * Downloads the file of a chunk again, past the browser's cache if its copy is not the published file. Webpack waits less for it.
 *
 * @returns Whether the file came.
 */
export async function refetchChunk(error: unknown): Promise<boolean> {
  const { request, type } = error as ChunkLoadError;
  if (!request) return false;
  return fetchFile(request, type === "timeout" ? "default" : "reload");
}
