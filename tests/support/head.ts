import { expect, type Page } from "@playwright/test";

/** The tags of a document's head that a page decides, read from the document as it is now. */
export interface HeadTags {
  readonly title: string;
  readonly description: string | null;
  readonly canonical: string | null;
  readonly robots: string | null;
  readonly keywords: string | null;
  /** Contents of the `og:` tags by their names without the prefix. */
  readonly social: Readonly<Record<string, string | null>>;
}

/**
 * Reads the head.
 *
 * @throws Error when a tag is there twice: a page before has left its own.
 */
export async function readHead(page: Page): Promise<HeadTags> {
  return page.evaluate(() => {
    const read = (selector: string, attribute: string): string | null => {
      const found = document.head.querySelectorAll(selector);
      if (found.length > 1) throw new Error(`the head has ${String(found.length)} of ${selector}`);
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

/** Waits until the head is the one that is expected, tag by tag: values, or what `expect` offers in their place. */
export async function expectHead(page: Page, head: Partial<Record<keyof HeadTags, unknown>>): Promise<void> {
  await expect(async () => {
    expect(await readHead(page)).toMatchObject(head);
  }).toPass({ timeout: 5_000 });
}
