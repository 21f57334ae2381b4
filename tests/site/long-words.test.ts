// Words of 50 letters without a place to break, as in names, addresses and other languages.
import { expect, test } from "../support/fixtures";
import { waitForHydration } from "../support/hydration";
import { expectNoHorizontalScroll } from "../support/layout";
import { ARTICLE_ROUTES } from "../support/routes";
import { open, SCREENS } from "../support/screens";

const WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk";

test.use({ viewport: { width: 320, height: 640 } });

for (const screen of [...SCREENS, ...ARTICLE_ROUTES.map((route) => ({ ...route, name: route.path }))]) {
  test(`${screen.name} breaks words of 50 letters`, async ({ page }) => {
    await open(page, screen);
    await waitForHydration(page);
    const replaced = await page.getByRole("main").evaluate((main, word) => {
      const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
      let count = 0;
      while (texts.nextNode()) {
        const { currentNode: text } = texts;
        // Drawings, dates and phone numbers have no long words.
        if (!/\p{L}{3}/u.test(text.textContent ?? "")) continue;
        if (text.parentElement?.closest("svg, noscript, time, [href^='tel:']")) continue;
        text.textContent = word;
        count += 1;
      }
      return count;
    }, WORD);
    expect(replaced).toBeGreaterThan(4);
    await expectNoHorizontalScroll(page);
  });
}
