import { rm } from "node:fs/promises";

import { test } from "@playwright/test";

import { publishedSite } from "./published-site";

test("teardown deletes the published releases", async () => {
  await rm(publishedSite().store, { recursive: true, force: true });
});
