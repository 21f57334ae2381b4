// Visitors who act before the page's code has arrived lose nothing by its arrival.
import { expect, test } from "../support/fixtures";
import { drawn, hold, SECTIONS, SHELL, takenOver } from "../support/hydration";
import { expectScreen } from "../support/screens";
import { expectTyped, fillForm, receivedFrom } from "../support/signup";

test("what was typed into the sign-up form stays, and so does the focus; the form is then sent by script", async ({
  page,
  site,
}) => {
  const startShell = await hold(page, SHELL);
  await page.goto("/signup", { waitUntil: "commit" });
  await expectScreen(page, "Create your account");
  const form = page.getByRole("main");
  const typed = await fillForm(form);
  await form.getByLabel("Age").focus();
  startShell();
  await takenOver(page);
  await expectTyped(form, typed);
  await expect(form.getByLabel("Age")).toBeFocused();
  const sending = page.waitForRequest("**/functions/v1/signup");
  await page.keyboard.press("Enter");
  expect((await sending).headers()["content-type"]).toBe("application/json");
  await expectScreen(page, "Thank you for signing up");
  expect(receivedFrom(site, typed.email)).toHaveLength(1);
});

test("sent before, the form is sent by the browser", async ({ page, site }) => {
  await hold(page, SHELL);
  await page.goto("/signup", { waitUntil: "commit" });
  const form = page.getByRole("main");
  const { email } = await fillForm(form);
  const sending = page.waitForRequest("**/functions/v1/signup");
  await form.getByRole("button", { name: "Continue" }).click();
  expect((await sending).headers()["content-type"]).toBe("application/x-www-form-urlencoded");
  await expectScreen(page, "Thank you for signing up");
  expect(receivedFrom(site, email)).toHaveLength(1);
});

test("a join button leads to the sign-up page, and a link to its page", async ({ page }) => {
  const startShell = await hold(page, SHELL);
  await page.goto("/about-escort-babylon", { waitUntil: "commit" });
  await page.getByRole("main").getByRole("button", { name: "Join Now" }).click();
  await expectScreen(page, "Create your account");
  await expect(page).toHaveURL(/\/signup\??$/);
  await page.getByRole("contentinfo").getByRole("link", { name: "Terms" }).click();
  await expectScreen(page, "Terms of use");
  startShell();
  await takenOver(page);
  await page.goBack();
  await expectScreen(page, "Create your account");
});

test("the question and the menu that were opened stay open, and go on working", async ({ page }) => {
  const startShell = await hold(page, SHELL);
  await page.goto("/", { waitUntil: "commit" });
  const question = page.getByRole("main").locator("details").first();
  await question.locator("summary").click();
  await page.getByRole("banner").locator("summary").click();
  const menu = page.getByRole("navigation", { name: "Main" });
  await expect(menu).toBeVisible();
  startShell();
  await takenOver(page);
  await expect(question).toHaveAttribute("open", "");
  await expect(menu).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();
});

test("who has scrolled stays there, and who reloads comes back to where they were", async ({ page }) => {
  const startShell = await hold(page, SHELL);
  await page.goto("/state/California", { waitUntil: "commit" });
  await expectScreen(page, "Escorts in California");
  const scrollTop = (): Promise<number> => page.evaluate(() => Math.round(scrollY));
  await page.evaluate(() => {
    scrollTo({ top: 700, behavior: "instant" });
  });
  startShell();
  await takenOver(page);
  // The box that filters the cities comes with script; what is in sight stays in sight.
  const heading = page.getByRole("heading", { level: 1 });
  const { y } = (await heading.boundingBox()) ?? { y: 0 };
  expect(y).toBeLessThan(-400);
  await page.waitForFunction(() => typeof (history.state as { scrollTop?: unknown } | null)?.scrollTop === "number");
  const before = await scrollTop();
  await page.reload();
  await takenOver(page);
  await expect.poll(scrollTop).toBe(before);
});

test("a fragment's place is gone to, from where Tab goes on, whenever the section's code arrives", async ({ page }) => {
  const startSections = await hold(page, SECTIONS);
  await page.goto("/#faq", { waitUntil: "commit" });
  await expect(page.getByRole("heading", { name: "Questions and answers" })).toBeInViewport();
  await page.keyboard.press("Tab");
  const question = page.getByRole("main").locator("details summary").first();
  await expect(question).toBeFocused();
  startSections();
  await takenOver(page);
  // What a place in the page does, it does a frame after the page is there.
  await drawn(page);
  await expect(question).toBeFocused();
});
