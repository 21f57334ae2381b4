/** The gateway renders no page that is larger with its data, in bytes of JSON. */
export const MAX_PAGE_BYTES = 1024 * 1024;
