// An upstream serves below the site's own origin. Whatever it sends, it must not act as the site.
import type { Browser, Page } from "@playwright/test";

import { runChecks } from "../support/checks";
import { waitForHydration } from "../support/hydration";
import { expect, test } from "../support/own-site";
import { startRogueUpstream, type RogueUpstream } from "../support/rogue-upstream";

let rogue: RogueUpstream;
test.beforeEach(async () => {
  rogue = await startRogueUpstream();
});
test.afterEach(() => {
  rogue.stop();
});

const hasRun = (page: Page): Promise<boolean> =>
  page.evaluate(() => "ran" in globalThis || document.querySelector("[data-ran]") !== null);

test("A document of an upstream runs no script, and has no origin", async ({ browser, startOwnSite }) => {
  const { url } = await startOwnSite({ config: rogue.config });
  const context = await browser.newContext({ baseURL: `${url}/api/rogue/` });
  await context.addCookies([{ name: "visitor", value: "ada", url }]);

  /** Opens a response in a page of its own, and closes it after the check. */
  const opened = async (name: string, check: (page: Page) => Promise<void>): Promise<void> => {
    const page = await context.newPage();
    await page.goto(name);
    await check(page);
    await page.close();
  };

  /** Waits until the browser reports that it has blocked something, or does it. */
  const blocked = async (page: Page, report: RegExp, done: Promise<unknown>): Promise<void> => {
    await Promise.race([
      page.waitForEvent("console", (message) => report.test(message.text())),
      done.catch(() => null),
    ]);
  };

  await runChecks([
    ...["page", "image", "xhtml", "xml", "untyped-page"].map((name) => {
      const run = (): Promise<void> =>
        opened(name, async (page) => {
          expect(await hasRun(page)).toBe(false);
          expect(await page.evaluate(() => self.origin)).toBe("null");
        });
      return [name, run] as const;
    }),
    [
      "a javascript: link",
      () =>
        opened("page", async (page) => {
          const run = page.waitForSelector("[data-ran]", { state: "attached" });
          const finished = blocked(page, /javascript|sandbox/, run);
          await page.getByRole("link").click();
          await finished;
          expect(await hasRun(page)).toBe(false);
        }),
    ],
    [
      "a form",
      () =>
        opened("page", async (page) => {
          const finished = blocked(page, /form/i, page.waitForURL("**/form"));
          await page.getByRole("button").click();
          await finished;
          expect(rogue.posts).toEqual([]);
        }),
    ],
    [
      "a refresh",
      async () => {
        const page = await context.newPage();
        const finished = blocked(page, /refresh|redirect/, page.waitForURL("**/terms"));
        await page.goto("refresh");
        await finished;
        await expect(page).toHaveTitle("Refresh");
        await page.close();
      },
    ],
    [
      "a frame of another site",
      async () => {
        const page = await context.newPage();
        await page.goto(`${rogue.url}/frame?${encodeURIComponent(`${url}/api/rogue/page`)}`);
        const frame = page.frames()[1];
        expect(await frame?.title()).not.toBe("Upstream");
        await page.close();
      },
    ],
  ]);
  await context.close();
});

/** Opens the site without its own policy, so that only the responses of the upstream protect it. */
async function openWithoutPolicy(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ bypassCSP: true, baseURL: url });
  await page.goto("/terms");
  await waitForHydration(page);
  return page;
}

const SCRIPTS = ["script.js", "old-script.js"];

/**
 * The ways to load code: the responses that could become code that way, and a function that resolves to whether one has. Of other
 * content types, browsers load only a `<script>`.
 */
const LOADERS: readonly (readonly [
  kind: string,
  names: readonly string[],
  load: (path: string) => Promise<boolean>,
])[] = [
  [
    "script",
    [...SCRIPTS, "text.js", "untyped.js"],
    (path) =>
      new Promise((resolve) => {
        const script = document.createElement("script");
        script.onload = () => {
          resolve("ran" in globalThis);
        };
        script.onerror = () => {
          resolve(false);
        };
        script.src = path;
        document.head.append(script);
      }),
  ],
  [
    "module",
    SCRIPTS,
    (path) =>
      import(path).then(
        () => true,
        () => false,
      ),
  ],
  [
    "worker",
    SCRIPTS,
    (path) =>
      new Promise((resolve) => {
        const worker = new Worker(
          URL.createObjectURL(new Blob([`importScripts("${location.origin}${path}"); postMessage(0)`])),
        );
        worker.onmessage = () => {
          resolve(true);
        };
        worker.onerror = () => {
          resolve(false);
        };
      }),
  ],
  [
    "stylesheet",
    ["style.css"],
    (path) =>
      new Promise((resolve) => {
        const link = document.createElement("link");
        link.rel = "stylesheet";
        link.onload = () => {
          resolve(getComputedStyle(document.documentElement).getPropertyValue("--ran") !== "");
        };
        link.onerror = () => {
          resolve(false);
        };
        link.href = path;
        document.head.append(link);
      }),
  ],
  [
    "service worker of the site",
    SCRIPTS,
    (path) =>
      navigator.serviceWorker.register(path, { scope: "/" }).then(
        () => true,
        () => false,
      ),
  ],
  [
    "service worker below /api/",
    SCRIPTS,
    (path) =>
      navigator.serviceWorker.register(path).then(
        () => true,
        () => false,
      ),
  ],
];

test("No response of an upstream becomes code of the site", async ({ browser, startOwnSite }) => {
  const { url } = await startOwnSite({ config: rogue.config });
  const page = await openWithoutPolicy(browser, url);
  await runChecks(
    LOADERS.flatMap(([kind, names, load]) =>
      names.map((name) => {
        const run = async (): Promise<void> => {
          expect(await page.evaluate(load, `/api/rogue/${name}`)).toBe(false);
        };
        return [`${name} as ${kind}`, run] as const;
      }),
    ),
  );
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  await page.close();
});
