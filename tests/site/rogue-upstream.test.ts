// An upstream serves below the site's own origin. Whatever it sends, it must not act as the site.
import type { Browser, Page } from "@playwright/test";

import { runChecks } from "../support/checks";
import { waitForHydration } from "../support/hydration";
import { expect, test } from "../support/own-site";
import { ROGUE_RESPONSES, startRogueUpstream, type RogueUpstream } from "../support/rogue-upstream";

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

  await runChecks([
    ...["page", "image", "xhtml", "xml", "untyped-page"].map((name) => {
      const run = (): Promise<void> =>
        opened(name, async (page) => {
          expect(new URL(page.url()).pathname).toBe(`/api/rogue/${name}`);
          expect(await hasRun(page)).toBe(false);
          expect(await page.evaluate(() => self.origin)).toBe("null");
          expect(await page.evaluate(() => document.contentType)).not.toBe(
            name.startsWith("untyped") ? "text/html" : "",
          );
        });
      return [name, run] as const;
    }),
    [
      "a javascript: link",
      () =>
        opened("page", async (page) => {
          const message = page.waitForEvent("console", {
            predicate: (entry) => /javascript|sandbox/.test(entry.text()),
          });
          await page.getByRole("link").click();
          await message;
          expect(await hasRun(page)).toBe(false);
        }),
    ],
    [
      "a form",
      () =>
        opened("page", async (page) => {
          const message = page.waitForEvent("console", { predicate: (entry) => /form/i.test(entry.text()) });
          await page.getByRole("button").click();
          await message;
          expect(rogue.posts).toEqual([]);
        }),
    ],
    [
      "a refresh",
      async () => {
        const page = await context.newPage();
        const message = page.waitForEvent("console", { predicate: (entry) => /refresh|redirect/.test(entry.text()) });
        await page.goto("refresh");
        await message;
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

/** What a script of the site could do with a response. Each resolves to whether the response became code. */
const ATTEMPTS: Readonly<Record<string, (path: string) => Promise<boolean>>> = {
  script: (path) =>
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
  module: (path) =>
    import(path).then(
      () => true,
      () => false,
    ),
  worker: (path) =>
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
  stylesheet: (path) =>
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
  "service worker of the site": (path) =>
    navigator.serviceWorker.register(path, { scope: "/" }).then(
      () => true,
      () => false,
    ),
  "service worker of the upstream's paths": (path) =>
    navigator.serviceWorker.register(path).then(
      () => true,
      () => false,
    ),
};

test("No response of an upstream becomes code of the site", async ({ browser, startOwnSite }) => {
  const { url } = await startOwnSite({ config: rogue.config });
  const page = await openWithoutPolicy(browser, url);
  await runChecks(
    Object.entries(ATTEMPTS).flatMap(([attempt, run]) =>
      (attempt === "stylesheet" ? ["style.css"] : ROGUE_RESPONSES.filter((name) => name.endsWith(".js"))).map(
        (name) =>
          [
            `${name} as ${attempt}`,
            async () => {
              expect(await page.evaluate(run, `/api/rogue/${name}`)).toBe(false);
            },
          ] as const,
      ),
    ),
  );
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  await page.close();
});

test("Every response of an upstream has the headers that confine it", async ({ startOwnSite, request }) => {
  const { url } = await startOwnSite({ config: rogue.config });
  await runChecks(
    ROGUE_RESPONSES.map((name) => [
      name,
      async () => {
        const headers = (await request.get(`${url}/api/rogue/${name}`)).headers();
        expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; .*; sandbox$/);
        expect(headers).toMatchObject({
          "x-content-type-options": "nosniff",
          "cross-origin-resource-policy": "same-origin",
        });
        for (const dropped of ["service-worker-allowed", "access-control-allow-origin", "refresh"])
          expect(headers).not.toHaveProperty(dropped);
      },
    ]),
  );
});
