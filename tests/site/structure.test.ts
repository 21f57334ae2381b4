import { expectRefused } from "../support/failures";
import { test } from "../support/fixtures";
import { MISSING, open } from "../support/screens";
import { expectStructure } from "../support/structure";

test("the screens for what does not exist have their language, their landmarks, one h1 first, and headings in order", async ({
  page,
  complaints,
}) => {
  for (const screen of MISSING) {
    await open(page, screen);
    await expectStructure(page, screen);
  }
  await expectRefused(complaints, 404);
});
