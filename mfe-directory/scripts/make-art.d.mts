/** Returns the pictures by file name. */
export function pictures(): Promise<ReadonlyMap<string, string>>;
