import { rm } from "node:fs/promises";

import { test } from "@playwright/test";

import { published } from "./published";

test("the published releases are discarded", async () => {
  await rm(published().store, { recursive: true, force: true });
});
