import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { takenOver } from "../support/hydration";

/** The site by a connection that stalls in the middle of every document, right behind `cut`. */
async function startStalling(site: string, cut: string): Promise<{ url: string; stop: () => void; goOn: () => void }> {
  let goOn = (): void => undefined;
  const going = new Promise<void>((resolve) => {
    goOn = resolve;
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
        await going;
      }
      response.end(body.subarray(end === -1 ? 0 : end + cut.length));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`,
    goOn,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

// Whoever draws what is there does so with the next frame, of which there are sixty a second.
function isDrawnSoon(page: Page): Promise<boolean> {
  return page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        requestAnimationFrame(() => {
          resolve(true);
        });
        setTimeout(resolve, 1_000, false);
      }),
  );
}

for (const [cut, isDrawn, title] of [
  ['<details class="menu">', false, "a header that has come in part is not drawn: what stands at its end would move"],
  ['<main id="main" tabindex="-1">', true, "what has come is drawn as soon as the page's own part begins"],
] as const) {
  test(title, async ({ page, site }) => {
    const stalling = await startStalling(site.url, cut);
    try {
      await page.goto(stalling.url, { waitUntil: "commit" });
      await page.locator("details.menu").waitFor({ state: "attached" });
      expect(await isDrawnSoon(page)).toBe(isDrawn);
      stalling.goOn();
      await takenOver(page);
    } finally {
      stalling.stop();
    }
  });
}
