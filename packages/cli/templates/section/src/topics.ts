/** The headings of the topic pages, by the topic's name in the path. Replace them by your own content. */
export const TOPICS: ReadonlyMap<string, string> = new Map([
  ["start", "How it starts"],
  ["finish", "How it ends"],
]);
