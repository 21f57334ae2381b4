import { expect, test } from "../support/fixtures";
import { expectScreen, follow } from "../support/screens";

const HOME = "Browse by state. Know what you are reading.";

test("without a connection a page says so, and comes once there is one", async ({ page, context, complaints }) => {
  await page.goto("/");
  await expectScreen(page, HOME);
  await context.setOffline(true);
  await follow(page, "/terms");
  await expectScreen(page, "You are offline");
  const message = page.getByRole("alert");
  await expect(message).toContainText("This page needs a connection");
  await expect(page.getByRole("banner").getByRole("link", { name: "Colonnade Directory" })).toBeVisible();

  await context.setOffline(false);
  await expectScreen(page, "This part of the site is unavailable right now");
  await message.getByRole("button", { name: "Try again" }).click();
  await expectScreen(page, "Terms of use");
  expect(complaints.errors.filter((text) => !text.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
  complaints.errors.length = 0;
});
