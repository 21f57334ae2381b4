/** Width of all maps. */
export const MAP_WIDTH = 320;

/** Space around the outline. */
export const MAP_PADDING = 8;
