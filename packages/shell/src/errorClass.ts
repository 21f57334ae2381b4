/**
 * The classes that a report may name: those of ECMAScript and its engines, the names of a DOMException that occur, and
 * webpack's. The gateway has the same list (`gateway/crates/diagnostics/src/error_class.rs`).
 */
export const REPORTED_CLASSES: ReadonlySet<string> = new Set(
  (
    "AbortError AggregateError ChunkLoadError DataCloneError DOMException Error EvalError HierarchyRequestError " +
    "InternalError InvalidCharacterError InvalidStateError NetworkError NotAllowedError NotFoundError NotSupportedError " +
    "QuotaExceededError RangeError ReferenceError SecurityError SuppressedError SyntaxError TimeoutError TypeError URIError"
  ).split(" "),
);

// Webpack sets only this name on the error of a missing chunk, not a class.
const CHUNK_LOAD_ERROR = "ChunkLoadError";

/** Whether webpack threw the error because a chunk could not be loaded. */
export function isChunkLoadError(error: unknown): boolean {
  return error instanceof Error && error.name === CHUNK_LOAD_ERROR;
}

/**
 * The listed class of a thrown value, or the nearest one that its class extends. The message and other names are never
 * reported: they may contain personal data.
 */
export function errorClass(error: unknown): string {
  if (isChunkLoadError(error)) return CHUNK_LOAD_ERROR;
  if (error instanceof DOMException && REPORTED_CLASSES.has(error.name)) return error.name;
  let value: unknown = error;
  while (value !== null && value !== undefined) {
    const { constructor } = Object(value) as { readonly constructor?: unknown };
    if (typeof constructor === "function" && REPORTED_CLASSES.has(constructor.name)) return constructor.name;
    value = Object.getPrototypeOf(value);
  }
  return "Other";
}
