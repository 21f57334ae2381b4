import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { waitForHydration } from "../support/hydration";

/** Starts a proxy of the site that stalls every document right after `cut`, until `resume` is called. */
async function startStallingProxy(
  site: string,
  cut: string,
): Promise<{ url: string; stop: () => void; resume: () => void }> {
  let resume = (): void => undefined;
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const server = createServer((request, response) => {
    void (async () => {
      const answer = await fetch(site + (request.url ?? "/"), { headers: { "accept-encoding": "identity" } });
      const body = Buffer.from(await answer.arrayBuffer());
      for (const name of ["content-type", "content-security-policy"]) {
        const value = answer.headers.get(name);
        if (value !== null) response.setHeader(name, value);
      }
      const end = body.indexOf(cut);
      if (end !== -1) {
        response.write(body.subarray(0, end + cut.length));
        await resumed;
      }
      response.end(body.subarray(end === -1 ? 0 : end + cut.length));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`,
    resume,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Whether the browser renders a frame within a time in milliseconds. */
function isPaintedWithin(page: Page, time: number): Promise<boolean> {
  return page.evaluate(
    (limit) =>
      new Promise<boolean>((resolve) => {
        requestAnimationFrame(() => {
          resolve(true);
        });
        setTimeout(resolve, limit, false);
      }),
    time,
  );
}

for (const [cut, isPainted, title] of [
  ['<details class="menu">', false, "An incomplete header is not painted, because its end would shift"],
  ['<main id="main" tabindex="-1">', true, "The document is painted as soon as its main part begins"],
] as const) {
  test(title, async ({ page, site }) => {
    const proxy = await startStallingProxy(site.url, cut);
    try {
      await page.goto(proxy.url, { waitUntil: "commit" });
      await page.locator("details.menu").waitFor({ state: "attached" });
      expect(await isPaintedWithin(page, isPainted ? 30_000 : 1_000)).toBe(isPainted);
      proxy.resume();
      await waitForHydration(page);
    } finally {
      // Its later requests would fail.
      await page.close();
      proxy.stop();
    }
  });
}
