/** The hue of the site's accent. Those of a picture are at most 40 degrees away. */
export const HUE: number;

/** Returns the pictures by file name. */
export function pictures(): Promise<ReadonlyMap<string, string>>;
