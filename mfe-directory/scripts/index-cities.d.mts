/** Returns the index of all cities. */
export function cityIndex(): Promise<string>;
