/** What the section has a page for: the heading by the topic's name in the path. Replace it by your own content. */
export const TOPICS: ReadonlyMap<string, string> = new Map([
  ["start", "How it starts"],
  ["finish", "How it ends"],
]);
