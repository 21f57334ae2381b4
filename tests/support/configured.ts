import { test } from "./fixtures";
import { published } from "./published";
import { startSite, type Site } from "./site.mjs";

/** The test function for a site of its own that is configured otherwise, from the very same releases. */
export function testOn(options: Parameters<typeof startSite>[0]) {
  return test.extend<object, { site: Site }>({
    site: [
      async ({}, use) => {
        const site = await startSite({ like: published(), ...options });
        await use(site);
        await site.stop();
      },
      { scope: "worker", timeout: 60_000 },
    ],
  });
}
