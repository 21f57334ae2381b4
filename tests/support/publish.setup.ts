import { cp, rm } from "node:fs/promises";

import { test } from "@playwright/test";

import { publishedSite } from "./published-site";
import { startSite } from "./site.mjs";

test("setup publishes the releases of the last build", async () => {
  const site = await startSite();
  await site.gateway.stop();
  await rm(publishedSite().store, { recursive: true, force: true });
  await cp(site.store, publishedSite().store, { recursive: true });
  await site.stop();
});
