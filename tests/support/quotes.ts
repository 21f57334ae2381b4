import type { Page } from "@playwright/test";

/** What a page says, in its body as in its head, that has a typewriter's quotation mark or apostrophe in it. */
export async function straightQuotes(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const body = document.body.cloneNode(true) as HTMLElement;
    for (const unseen of body.querySelectorAll("script, noscript")) unseen.remove();
    const description = document.querySelector<HTMLMetaElement>("meta[name=description]")?.content ?? "";
    const said = `${document.title}\n${description}\n${body.textContent}`;
    return [...said.matchAll(/.{0,20}["'].{0,20}/g)].map(([around]) => around);
  });
}
