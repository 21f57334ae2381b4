// A registered symbol, so that a value made by another copy of the kit is recognised.
const NOT_FOUND = Symbol.for("colonnade.notFound");

/** Says that a path of the section's pattern names nothing: HTTP 404 and the site's not-found page. */
export interface NotFound {
  /** Heading of the not-found page, such as 'State not found'. */
  readonly heading: string;
}

/** Makes the answer of a page's `data` for a path that names nothing. */
export function notFound(heading = "Page not found"): NotFound {
  const answer = { heading };
  Object.defineProperty(answer, NOT_FOUND, { value: true });
  return answer;
}

/** Whether a page's data is such an answer. */
export function isNotFound(value: unknown): value is NotFound {
  return typeof value === "object" && value !== null && NOT_FOUND in value;
}
