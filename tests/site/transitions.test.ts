import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { takenOver } from "../support/hydration";
import { expectScreen, follow, open } from "../support/screens";

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you are reading." };
const TEXAS = { name: "Texas", path: "/state/Texas", heading: "Escorts in Texas" };

/** What became of one view transition. */
interface Move {
  /** The elements of the page before, and of the one that came, that the browser was told to move between. */
  readonly from: string | null | undefined;
  readonly to: string | null | undefined;
  readonly outcome: string;
}

/** Notes every view transition that the page starts. */
async function watchMoves(page: Page): Promise<() => Promise<readonly Move[]>> {
  await page.addInitScript(() => {
    const moves: { from?: string | null | undefined; to?: string | null | undefined; outcome: string }[] = [];
    Object.assign(window, { moves });
    const named = (): string | null | undefined =>
      [...document.querySelectorAll<HTMLElement>("[style]")].find(({ style }) =>
        style.getPropertyValue("view-transition-name"),
      )?.textContent;
    // It is the document's own method, called as one.
    const start = document.startViewTransition.bind(document);
    document.startViewTransition = (update) => {
      const move: (typeof moves)[number] = { from: named(), outcome: "under way" };
      moves.push(move);
      const transition = start(update);
      transition.ready.then(
        () => (move.to = named()),
        () => undefined,
      );
      transition.finished.then(
        () => (move.outcome = "finished"),
        () => (move.outcome = "failed"),
      );
      return transition;
    };
  });
  return () => page.evaluate(() => (window as unknown as { moves: Move[] }).moves);
}

function named(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      [...document.querySelectorAll<HTMLElement>("[style]")].filter(({ style }) =>
        style.getPropertyValue("view-transition-name"),
      ).length,
  );
}

/**
 * A page is shown without its movement where the browser is too busy for that. Here it has all the time it needs: the
 * shell's own patience (PICTURE_MS and DRAWING_MS) lasts ten seconds.
 */
async function beIdle(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const start = window.setTimeout.bind(window);
    const patient = (task: () => void, delay?: number, ...given: []): number =>
      start(task, delay === 100 || delay === 500 ? 10_000 : delay, ...given);
    Object.assign(window, { setTimeout: patient });
  });
}

test.describe("from one page to the next", () => {
  test.beforeEach(({ page }) => beIdle(page));

  test("the name in a list becomes the heading of its page, and on the way back the heading becomes the name", async ({
    page,
  }) => {
    const moves = await watchMoves(page);
    await open(page, HOME);
    expect(await moves()).toEqual([]);
    await page.getByRole("link", { name: "Texas", exact: true }).click();
    await expectScreen(page, TEXAS.heading);
    await expect.poll(moves).toEqual([{ from: "Texas", to: TEXAS.heading, outcome: "finished" }]);
    await page.getByRole("main").getByRole("link", { name: "Abilene" }).click();
    await expectScreen(page, "Abilene, Texas");
    await expect.poll(moves).toHaveLength(2);
    await expect
      .poll(async () => (await moves())[1])
      .toEqual({
        from: "Abilene",
        to: "Abilene, Texas",
        outcome: "finished",
      });
    await page.goBack();
    await expectScreen(page, TEXAS.heading);
    await expect
      .poll(async () => (await moves())[2])
      .toEqual({
        from: "Abilene, Texas",
        to: "Abilene",
        outcome: "finished",
      });
    // What was marked for it is as it was.
    expect(await named(page)).toBe(0);
  });

  test("the way back restores the position before the browser shows the page", async ({ page }) => {
    await page.addInitScript(() => {
      const start = document.startViewTransition.bind(document);
      document.startViewTransition = (update) => {
        const transition = start(update);
        void transition.ready.then(() => (document.documentElement.dataset.at = String(Math.round(scrollY))));
        return transition;
      };
    });
    await open(page, TEXAS);
    await page.evaluate(() => {
      scrollTo({ top: 1200, behavior: "instant" });
    });
    await page.waitForFunction(() => (history.state as { scrollTop?: number } | null)?.scrollTop === 1200);
    await follow(page, "/city/Texas/Houston");
    await expectScreen(page, "Houston, Texas");
    await expect(page.locator("html")).toHaveAttribute("data-at", "0");
    await page.goBack();
    await expectScreen(page, TEXAS.heading);
    await expect(page.locator("html")).toHaveAttribute("data-at", "1200");
  });

  test("nothing stands in for the page on the way back and forward", async ({ page }) => {
    await open(page, TEXAS);
    await page.evaluate(() => {
      new MutationObserver(() => {
        if (document.querySelector(".loading")) document.documentElement.dataset.stoodIn = "";
      }).observe(document.body, { childList: true, subtree: true });
    });
    await follow(page, "/city/Texas/Houston");
    await expectScreen(page, "Houston, Texas");
    for (let count = 0; count < 2; count += 1) {
      await page.goBack();
      await expectScreen(page, TEXAS.heading);
      await page.goForward();
      await expectScreen(page, "Houston, Texas");
    }
    await expect(page.locator("html")).not.toHaveAttribute("data-stood-in");
  });

  test("a jump within the page is no such move", async ({ page }) => {
    const moves = await watchMoves(page);
    await open(page, HOME);
    await takenOver(page);
    await page.getByRole("link", { name: "Choose a state" }).click();
    await expect(page).toHaveURL("/#states");
    await follow(page, "/#faq");
    await expect(page.getByRole("heading", { name: "Questions and answers" })).toBeInViewport();
    expect(await moves()).toEqual([]);
  });

  test("nothing moves where less motion is asked for", async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const moves = await watchMoves(page);
    await open(page, HOME);
    await page.getByRole("link", { name: "Texas", exact: true }).click();
    await expectScreen(page, TEXAS.heading);
    await page.goBack();
    await expectScreen(page, HOME.heading);
    expect(await moves()).toEqual([]);
  });
});

test.describe("the page is shown all the same", () => {
  test("where the browser knows no view transitions", async ({ page }) => {
    await page.addInitScript(() => {
      Reflect.deleteProperty(Document.prototype, "startViewTransition");
    });
    await open(page, HOME);
    await page.getByRole("link", { name: "Texas", exact: true }).click();
    await expectScreen(page, TEXAS.heading);
    await page.goBack();
    await expectScreen(page, HOME.heading);
  });

  test("where the browser never comes to take its picture", async ({ page }) => {
    await page.addInitScript(() => {
      const never = new Promise<never>(() => undefined);
      document.startViewTransition = () =>
        ({ ready: never, finished: never, updateCallbackDone: never, skipTransition: () => undefined }) as never;
    });
    await open(page, HOME);
    await page.getByRole("link", { name: "Texas", exact: true }).click();
    await expectScreen(page, TEXAS.heading);
  });

  test("and the one asked for last, where the visitor is quicker than the movement", async ({ page }) => {
    await open(page, HOME);
    for (const state of ["Texas", "Utah", "Vermont"]) await follow(page, `/state/${state}`);
    await expectScreen(page, "Escorts in Vermont");
    await expect(page).toHaveURL("/state/Vermont");
    // Pressed while it moves, in the page that is there already.
    await page.getByRole("main").getByRole("link", { name: "Burlington" }).first().click();
    await expectScreen(page, "Burlington, Vermont");
    await page.goBack();
    await expectScreen(page, "Escorts in Vermont");
  });
});
