// site/every-screen hydrates each screen. These have other names in their paths.
import { runChecks, type Check } from "../support/checks";
import { expect, test } from "../support/fixtures";
import { expectHead } from "../support/head";
import { countAdPlaceholders, countElements, holdRequests, SHELL, waitForHydration } from "../support/hydration";
import { ORIGIN, ROUTES } from "../support/routes";
import { openMarked } from "./before-hydration";

test("Pages of encoded names hydrate in place", async ({ page }) => {
  await runChecks(
    ROUTES.filter(({ path }) => path.includes("%")).map(({ path, canonical = path, ...route }): Check => [
      path,
      async () => {
        await page.unrouteAll();
        const startShell = await holdRequests(page, SHELL);
        const { marked } = await openMarked(page, { path, ...route });
        const placeholders = await countAdPlaceholders(page);
        startShell();
        await waitForHydration(page);
        expect((await countElements(page)).preserved).toBe(marked - placeholders);
        await expectHead(page, { title: route.title, robots: route.robots, canonical: `${ORIGIN}${canonical}` });
      },
    ]),
  );
});
