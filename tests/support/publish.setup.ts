import { cp, rm } from "node:fs/promises";

import { test } from "@playwright/test";

import { published } from "./published";
import { startSite } from "./site.mjs";

test("the releases of the last build are published", async () => {
  const site = await startSite();
  await site.gateway.stop();
  await rm(published().store, { recursive: true, force: true });
  await cp(site.store, published().store, { recursive: true });
  await site.stop();
});
