import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { waitForPaint } from "../support/hydration";
import { expectScreen, follow, open } from "../support/screens";

test.use({ reducedMotion: "no-preference" });

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." };
const TEXAS = { name: "Texas", path: "/state/Texas", heading: "Escorts in Texas" };

/** A view transition. */
interface Transition {
  /** Texts of the named elements on the old and the new page. */
  readonly from: string | null | undefined;
  readonly to: string | null | undefined;
  readonly outcome: string;
}

/** Records every view transition the page starts. */
async function recordTransitions(page: Page): Promise<() => Promise<readonly Transition[]>> {
  await page.addInitScript(() => {
    const transitions: { from?: string | null | undefined; to?: string | null | undefined; outcome: string }[] = [];
    Object.assign(window, { transitions });
    const named = (): string | null | undefined =>
      [...document.querySelectorAll<HTMLElement>("[style]")].find(({ style }) =>
        style.getPropertyValue("view-transition-name"),
      )?.textContent;
    // The method must be called on the document.
    const start = document.startViewTransition.bind(document);
    document.startViewTransition = (update) => {
      const entry: (typeof transitions)[number] = { from: named(), outcome: "running" };
      transitions.push(entry);
      const transition = start(update);
      transition.ready.then(
        () => (entry.to = named()),
        () => undefined,
      );
      transition.finished.then(
        () => (entry.outcome = "finished"),
        () => (entry.outcome = "failed"),
      );
      return transition;
    };
  });
  return () => page.evaluate(() => (window as unknown as { transitions: Transition[] }).transitions);
}

function named(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      [...document.querySelectorAll<HTMLElement>("[style]")].filter(({ style }) =>
        style.getPropertyValue("view-transition-name"),
      ).length,
  );
}

/** Extends the shell's timeouts to ten seconds, because a busy browser would skip the transition. */
async function extendTimeouts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const start = window.setTimeout.bind(window);
    const extended = (task: () => void, delay?: number, ...given: []): number =>
      start(task, delay === 100 || delay === 500 ? 10_000 : delay, ...given);
    Object.assign(window, { setTimeout: extended });
  });
}

test.describe("A view transition", () => {
  test.beforeEach(({ page }) => extendTimeouts(page));

  test("morphs a list item into its page's heading, and back, but not for fragments", async ({ page }) => {
    const transitions = await recordTransitions(page);
    await open(page, HOME);
    await test.step("not for fragments", async () => {
      await page.getByRole("link", { name: "Choose a state" }).click();
      await expect(page).toHaveURL("/#states");
      await follow(page, "/#faq");
      await expect(page.getByRole("heading", { name: "Questions and answers" })).toBeInViewport();
      expect(await transitions()).toEqual([]);
    });
    await page.getByRole("link", { name: "Texas", exact: true }).click();
    await expectScreen(page, TEXAS.heading);
    await expect.poll(transitions).toEqual([{ from: "Texas", to: TEXAS.heading, outcome: "finished" }]);
    await page.getByRole("main").getByRole("link", { name: "Abilene" }).click();
    await expectScreen(page, "Abilene, Texas");
    await expect.poll(transitions).toHaveLength(2);
    await expect
      .poll(async () => (await transitions())[1])
      .toEqual({
        from: "Abilene",
        to: "Abilene, Texas",
        outcome: "finished",
      });
    await page.goBack();
    await expectScreen(page, TEXAS.heading);
    await expect
      .poll(async () => (await transitions())[2])
      .toEqual({
        from: "Abilene, Texas",
        to: "Abilene",
        outcome: "finished",
      });
    // The names are removed afterwards.
    expect(await named(page)).toBe(0);
  });

  test("shows a page at its scroll position, without a loading state", async ({ page }) => {
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
      new MutationObserver(() => {
        if (document.querySelector(".loading")) document.documentElement.dataset.wasLoading = "";
      }).observe(document.body, { childList: true, subtree: true });
    });
    await page.waitForFunction(() => (history.state as { scrollTop?: number } | null)?.scrollTop === 1200);
    await follow(page, "/city/Texas/Houston");
    await expectScreen(page, "Houston, Texas");
    await expect(page.locator("html")).toHaveAttribute("data-at", "0");
    await page.goBack();
    await expectScreen(page, TEXAS.heading);
    await expect(page.locator("html")).toHaveAttribute("data-at", "1200");
    await page.goForward();
    await expectScreen(page, "Houston, Texas");
    await expect(page.locator("html")).not.toHaveAttribute("data-was-loading");
  });

  test("does not run with reduced motion", async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const transitions = await recordTransitions(page);
    await open(page, HOME);
    await page.getByRole("link", { name: "Texas", exact: true }).click();
    await expectScreen(page, TEXAS.heading);
    await page.goBack();
    await expectScreen(page, HOME.heading);
    expect(await transitions()).toEqual([]);
  });
});

test.describe("The page is shown", () => {
  test("without support for view transitions", async ({ page }) => {
    await page.addInitScript(() => {
      Reflect.deleteProperty(Document.prototype, "startViewTransition");
    });
    await open(page, HOME);
    // Its name becomes a property of the document.
    await page.evaluate(() => {
      const form = document.createElement("form");
      form.setAttribute("name", "startViewTransition");
      document.body.append(form);
    });
    await page.getByRole("link", { name: "Texas", exact: true }).click();
    await expectScreen(page, TEXAS.heading);
    await page.goBack();
    await expectScreen(page, HOME.heading);
  });

  test("when the transition never starts", async ({ page }) => {
    await page.addInitScript(() => {
      const never = new Promise<never>(() => undefined);
      document.startViewTransition = () =>
        ({ ready: never, finished: never, updateCallbackDone: never, skipTransition: () => undefined }) as never;
    });
    await open(page, HOME);
    await page.getByRole("link", { name: "Texas", exact: true }).click();
    await expectScreen(page, TEXAS.heading);
  });

  test("when it is rendered too late for the transition, without names", async ({ page }) => {
    // The transition waits 500 ms for the page. Here that time elapses at once.
    await page.addInitScript(() => {
      const start = window.setTimeout.bind(window);
      const shortened = (task: () => void, delay?: number, ...given: []): number => {
        if (delay !== 500) return start(task, delay, ...given);
        queueMicrotask(task);
        return 0;
      };
      Object.assign(window, { setTimeout: shortened });
    });
    const transitions = await recordTransitions(page);
    await open(page, TEXAS);
    await page.getByRole("main").getByRole("link", { name: "Abilene" }).click();
    await expectScreen(page, "Abilene, Texas");
    await expect.poll(async () => (await transitions())[0]?.outcome).toBe("finished");
    await expect(page.locator("[data-announcer]")).not.toBeEmpty();
    await waitForPaint(page);
    expect(await named(page)).toBe(0);
  });

  test("for the last of several quick navigations", async ({ page }) => {
    await open(page, HOME);
    for (const state of ["Texas", "Utah", "Vermont"]) await follow(page, `/state/${state}`);
    await expectScreen(page, "Escorts in Vermont");
    await expect(page).toHaveURL("/state/Vermont");
    // Clicked during the transition.
    await page.getByRole("main").getByRole("link", { name: "Burlington" }).first().click();
    await expectScreen(page, "Burlington, Vermont");
    await page.goBack();
    await expectScreen(page, "Escorts in Vermont");
  });
});
