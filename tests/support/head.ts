import { expect, type Page } from "@playwright/test";

/** The head tags that a page sets, as they currently are in the document. */
export interface HeadTags {
  readonly title: string;
  readonly description: string | null;
  readonly canonical: string | null;
  readonly robots: string | null;
  readonly keywords: string | null;
  /** Contents of the `og:` tags by name, without the prefix. */
  readonly social: Readonly<Record<string, string | null>>;
}

/**
 * Reads the head tags.
 *
 * @throws Error for a duplicate tag, which a previous page left behind.
 */
export async function readHead(page: Page): Promise<HeadTags> {
  return page.evaluate(() => {
    const read = (selector: string, attribute: string): string | null => {
      const found = document.head.querySelectorAll(selector);
      if (found.length > 1)
        throw new Error(`the head has ${String(found.length)} tags matching ${selector}; expected one`);
      return found[0]?.getAttribute(attribute) ?? null;
    };
    const social = [...document.head.querySelectorAll("meta[property^='og:']")].map(
      (tag) => tag.getAttribute("property") ?? "",
    );
    return {
      title: document.title,
      description: read("meta[name=description]", "content"),
      canonical: read("link[rel=canonical]", "href"),
      robots: read("meta[name=robots]", "content"),
      keywords: read("meta[name=keywords]", "content"),
      social: Object.fromEntries(
        social.map((property) => [property.slice("og:".length), read(`meta[property='${property}']`, "content")]),
      ),
    };
  });
}

/** Waits until the head tags match. Values may be asymmetric matchers of `expect`. */
export async function expectHead(page: Page, head: Partial<Record<keyof HeadTags, unknown>>): Promise<void> {
  await expect(async () => {
    expect(await readHead(page)).toMatchObject(head);
  }).toPass();
}
