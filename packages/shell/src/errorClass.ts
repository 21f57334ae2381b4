// Webpack sets only this name on the error of a missing chunk, not a class.
const CHUNK_LOAD_ERROR = "ChunkLoadError";

/** Whether webpack threw the error because a chunk could not be loaded. */
export function isChunkLoadError(error: unknown): boolean {
  return error instanceof Error && error.name === CHUNK_LOAD_ERROR;
}

/**
 * The class of a thrown value, or the nearest one that its class extends: one of the browser's own, which is the global variable of
 * its name. The message and other names are never reported: they may contain personal data.
 */
export function errorClass(error: unknown): string {
  if (isChunkLoadError(error)) return CHUNK_LOAD_ERROR;
  if (error instanceof DOMException && /^[a-z]+Error$/i.test(error.name)) return error.name;
  let value: unknown = error;
  while (value !== null && value !== undefined) {
    const { constructor } = Object(value) as { readonly constructor?: unknown };
    if (typeof constructor === "function" && Reflect.get(globalThis, constructor.name) === constructor)
      return constructor.name;
    value = Object.getPrototypeOf(value);
  }
  return "Other";
}
