import type { Page } from "@playwright/test";

/** Text in the page's body, title or description that contains a straight quote or apostrophe. */
export async function straightQuotes(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const body = document.body.cloneNode(true) as HTMLElement;
    for (const hidden of body.querySelectorAll("script, noscript")) hidden.remove();
    const description = document.querySelector<HTMLMetaElement>("meta[name=description]")?.content ?? "";
    const text = `${document.title}\n${description}\n${body.textContent}`;
    return [...text.matchAll(/.{0,20}["'].{0,20}/g)].map(([around]) => around);
  });
}
