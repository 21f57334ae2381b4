/** Names of the card icons in `pages/Icon.tsx`. */
const ICONS = ["compass", "scales", "shield", "map", "pencil", "gavel", "clock", "flag", "book"] as const;
/** The name of a card icon. */
export type IconName = (typeof ICONS)[number];

/** A source that an article cites. */
export interface Source {
  readonly label: string;
  readonly url?: string;
}

/** The front matter of an article. */
export interface Frontmatter {
  readonly title: string;
  /** The meta description and the article's lead. */
  readonly description: string;
  /** Text of the hub's card. */
  readonly card: string;
  readonly icon: IconName;
  /** When the text last changed, `YYYY-MM-DD`. */
  readonly updated: string;
  /** When someone last compared its facts with the sources, `YYYY-MM-DD`. Absent if nobody has. */
  readonly checked?: string;
  readonly sources: readonly Source[];
}

type Fields = Readonly<Record<string, unknown>>;

const KEYS = ["title", "description", "card", "icon", "updated", "checked", "sources"];

/**
 * Validates an article's front matter. The build calls it too, so that a mistake fails the build, not the page.
 *
 * @throws Error naming the file, the key and what was expected.
 */
export function readFrontmatter(slug: string, fields: Fields): Frontmatter {
  const fail = (key: string, expected: string): never => {
    const found = key in fields ? JSON.stringify(fields[key]) : "missing";
    throw new Error(`content/${slug}.md: "${key}" is ${found}; expected ${expected}`);
  };
  const text = (key: string): string => {
    const value = fields[key];
    return typeof value === "string" && value.trim() ? value : fail(key, "a non-empty string");
  };
  const date = (key: string): string => {
    const value = fields[key];
    const time = typeof value === "string" ? Date.parse(value) : NaN;
    const isDate = !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === value;
    return isDate ? value : fail(key, "a date, YYYY-MM-DD");
  };
  for (const key of Object.keys(fields)) if (!KEYS.includes(key)) fail(key, `one of the keys ${KEYS.join(", ")}`);
  const { icon, sources } = fields;
  return {
    title: text("title"),
    description: text("description"),
    card: text("card"),
    icon: ICONS.find((name) => name === icon) ?? fail("icon", `one of ${ICONS.join(", ")}`),
    updated: date("updated"),
    ...("checked" in fields && { checked: date("checked") }),
    sources:
      Array.isArray(sources) && sources.length > 0 && sources.every(isSource)
        ? sources
        : fail("sources", "a list of { label, url? }, url with https://"),
  };
}

function isSource(value: unknown): value is Source {
  if (typeof value !== "object" || value === null) return false;
  const { label, url, ...others } = value as Fields;
  const isLink = url === undefined || (typeof url === "string" && url.startsWith("https://"));
  return typeof label === "string" && isLink && Object.keys(others).length === 0;
}
