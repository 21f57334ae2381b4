/** Names of the icons a card may have; drawn in `pages/Icon.tsx`. */
export const ICONS = ["compass", "scales", "shield", "map", "pencil", "gavel", "clock", "flag", "book"] as const;
/** Name of an icon. */
export type IconName = (typeof ICONS)[number];

/** Where an article has its facts from. */
export interface Source {
  readonly label: string;
  readonly url?: string;
}

/** What an article's Markdown file says of itself between its first two `---` lines. */
export interface Frontmatter {
  readonly title: string;
  /** For search engines, and the article's opening line. */
  readonly description: string;
  /** What the hub's card says. */
  readonly card: string;
  readonly icon: IconName;
  readonly sources: readonly Source[];
}

type Fields = Readonly<Record<string, unknown>>;

const KEYS = ["title", "description", "card", "icon", "sources"];

/**
 * Checks an article's front matter. It runs while the section is built, so that a writer's slip stops
 * the build and not a visitor.
 *
 * @throws Error naming the file, the key and what was expected.
 */
export function readFrontmatter(slug: string, fields: Fields): Frontmatter {
  const refuse = (key: string, expected: string): never => {
    const found = key in fields ? JSON.stringify(fields[key]) : "missing";
    throw new Error(`content/${slug}.md: "${key}" is ${found}; expected ${expected}`);
  };
  const text = (key: string): string => {
    const value = fields[key];
    return typeof value === "string" && value.trim() ? value : refuse(key, "text");
  };
  for (const key of Object.keys(fields)) if (!KEYS.includes(key)) refuse(key, `one of the keys ${KEYS.join(", ")}`);
  const { icon, sources } = fields;
  return {
    title: text("title"),
    description: text("description"),
    card: text("card"),
    icon: ICONS.find((name) => name === icon) ?? refuse("icon", `one of ${ICONS.join(", ")}`),
    sources:
      Array.isArray(sources) && sources.length > 0 && sources.every(isSource)
        ? sources
        : refuse("sources", "a list of { label, url? }, url with https://"),
  };
}

function isSource(value: unknown): value is Source {
  if (typeof value !== "object" || value === null) return false;
  const { label, url, ...others } = value as Fields;
  const isLink = url === undefined || (typeof url === "string" && url.startsWith("https://"));
  return typeof label === "string" && isLink && Object.keys(others).length === 0;
}
