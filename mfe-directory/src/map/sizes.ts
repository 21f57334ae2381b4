/** Width of all maps. */
export const MAP_WIDTH = 320;

/** Least population of each size of dot. */
export const POPULATION_CLASSES = [0, 50_000, 250_000] as const;

/** Space around the outline. */
export const MAP_PADDING = 8;
