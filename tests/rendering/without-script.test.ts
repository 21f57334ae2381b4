import { expect, test } from "../support/fixtures";
import { SCREENS } from "../support/screens";
import { newAddress, PASSWORD, receivedFrom } from "../support/signup";

test.use({ javaScriptEnabled: false });

for (const { name, path, heading } of SCREENS) {
  test(`${name} reads without script`, async ({ page }) => {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
    await expect(page.getByRole("contentinfo").getByText("18+ only")).toBeVisible();
  });
}

test("links lead from state to city to ad", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("main").getByRole("link", { name: "Texas" }).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Escorts in Texas");
  await page.getByRole("main").getByRole("link", { name: "Houston" }).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Houston, Texas");
});

test("the menu and the questions open", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("banner").locator("summary").click();
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link").first()).toBeVisible();
  const question = page.getByRole("main").locator("details").first();
  await question.locator("summary").click();
  await expect(question).toHaveAttribute("open", "");
});

test("the filter of a state's cities is not there", async ({ page }) => {
  await page.goto("/state/California");
  await expect(page.getByRole("searchbox")).toHaveCount(0);
  await expect(page.getByRole("main").getByRole("textbox")).toHaveCount(0);
});

test("join buttons lead to the sign-up page, which posts and leads on", async ({ page, site }) => {
  await page.goto("/terms");
  await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
  await expect(page).toHaveURL(/\/signup\??$/);
  const email = newAddress();
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Age").fill("34");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Thank you for signing up");
  expect(receivedFrom(site, email)).toHaveLength(1);
});

test("a refused sign-up comes back with its words and the e-mail, never the password", async ({ page, complaints }) => {
  await page.goto("/signup");
  const email = newAddress("reject");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Age").fill("34");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(page.getByLabel("E-mail")).toHaveValue(email);
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("");
  expect(await page.content()).not.toContain("horse");
  complaints.errors.length = 0;
});
