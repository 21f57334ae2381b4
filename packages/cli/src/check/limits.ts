// Limits of the gateway that the check applies.

/** The gateway renders no page that is larger with its data, in bytes of JSON. */
export const MAX_PAGE_BYTES = 1024 * 1024;

/** The same of an extension. */
export const MAX_EXTENSION_BYTES = 256 * 1024;

/** The gateway accepts no release whose pages list more paths. */
export const MAX_PATHS = 5_000;

/** The gateway accepts no release with more extension points, or with more extensions. */
export const MAX_EXTENSIONS = 32;

/** The gateway accepts no release with more links in `navigation`. */
export const MAX_NAVIGATION = 32;

/** The gateway accepts no link with a longer label, in characters. */
export const MAX_LABEL = 64;

/** The gateway accepts no extension point that shows more extensions. */
export const MAX_SHOWN = 16;

/** The gateway accepts no larger file with the examples of pages and extensions, in bytes. */
export const MAX_EXAMPLES_FILE = 1024 * 1024;

/** The gateway accepts no extension point with more examples. A page or an extension has no more, either. */
export const MAX_EXAMPLES = 20;

/** The gateway accepts no release whose extension points have larger examples, in bytes of JSON. */
export const MAX_EXAMPLE_BYTES = 64 * 1024;

/** The gateway serves no page whose path has more segments. */
export const MAX_SEGMENTS = 64;
