import { expectAccessible } from "../support/axe";
import { countElements, markParsedElements, waitForHydration } from "../support/hydration";
import { expectHttpError } from "../support/http-errors";
import { expect, test } from "../support/minimal-site";

// The words of the bundled site and of the gateway's integrations.
const FOREIGN = /JoinButton|useJoin|sign-up|signup|under age|18\+|partner|escort|legalEntity|temple|adult|rating/i;

// One site for all tests: it takes longer to publish than they do.
test.describe.configure({ mode: "default" });

test("Another company's shell hydrates exactly, with a section's part in its header", async ({ page }) => {
  const marks = await markParsedElements(page);
  const response = await page.goto("/");
  expect(await response?.text()).not.toMatch(FOREIGN);
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await expect(page.getByRole("banner").getByText(/^Heute: (?:\d|geschlossen)/)).toBeVisible();
  await waitForHydration(page);
  expect(await countElements(page)).toEqual({ preserved: (await marks()).marked, added: 0 });
  await expectAccessible(page);
  await page.getByRole("link", { name: "Uferwege" }).click();
  await expect(page).toHaveTitle("Uferwege - Buchhandlung Lindenhof");
  await expect(page.getByText("Abholbereit in 2 Tagen.")).toBeVisible();
  await expectAccessible(page, { selector: "main" });
});

test("Its not-found page is German, in a document of its own", async ({ page, browserErrors }) => {
  const response = await page.goto("/gibt-es-nicht");
  expect(response?.status()).toBe(404);
  expect(await response?.text()).not.toMatch(FOREIGN);
  await expect(page).toHaveTitle("Seite nicht gefunden - Buchhandlung Lindenhof");
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await expectAccessible(page);
  await page.getByRole("link", { name: "Zur Startseite" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Neu auf unserem Tisch");
  await expect(page).toHaveTitle("Buchhandlung Lindenhof");
  await expectHttpError(browserErrors, 404);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("Its pages have the facts of the site and the section's configuration", async ({ page }) => {
    await page.goto("/");
    await page.getByRole("link", { name: "Salzgarten" }).click();
    await expect(page.getByText("Abholbereit in 2 Tagen.")).toBeVisible();
    await page.getByRole("navigation", { name: "Hauptmenü" }).getByRole("link", { name: "Besuch" }).click();
    await expect(page.getByText("Lindenhof 4, 04155 Leipzig")).toBeVisible();
    await expect(page.getByRole("main").getByText("geschlossen")).toBeVisible();
  });
});
