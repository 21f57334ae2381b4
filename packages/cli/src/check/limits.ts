// Limits of the gateway that the check applies.

/** The gateway renders no page that is larger with its data, in bytes of JSON. */
export const MAX_PAGE_BYTES = 1024 * 1024;

/** The gateway accepts no release whose pages list more paths. */
export const MAX_PATHS = 5_000;

/** The gateway serves no page whose path has more segments. */
export const MAX_SEGMENTS = 64;
