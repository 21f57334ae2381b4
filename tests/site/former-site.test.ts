import { expect, test } from "../support/fixtures";

// A former site registered its worker under a policy of its own.
test.use({ bypassCSP: true });

test("The service worker of a former site removes itself and its caches", async ({ page }) => {
  await page.goto("/healthz");
  const left = await page.evaluate(async () => {
    await (await caches.open("former")).put("/", new Response("The former site"));
    const { installing } = await navigator.serviceWorker.register("/sw.js");
    await new Promise<void>((resolve) => {
      installing?.addEventListener("statechange", () => {
        if (installing.state === "redundant") resolve();
      });
    });
    return { caches: await caches.keys(), workers: (await navigator.serviceWorker.getRegistrations()).length };
  });
  expect(left).toEqual({ caches: [], workers: 0 });
});
