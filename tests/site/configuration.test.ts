import { testOn } from "../support/configured";
import { expect } from "../support/fixtures";
import { expectHead } from "../support/head";
import { follow } from "../support/screens";

const BRAND = "Portico & Sons <Guide>";

const test = testOn({
  partner: false,
  changes: {
    site: {
      brand: BRAND,
      origin: "https://directory.example",
      contact: "write@directory.example",
      legal_entity: "Portico Publishing LLC",
      processing_country: "Canada",
      retention: "nothing is kept longer than a week",
      governing_law: "the law of Vermont",
    },
    telemetry: { addresses: true },
    navigation: {
      menu: [
        { label: "Start", path: "/" },
        { label: "Safety", path: "/about-escort-babylon/safety-guide" },
      ],
      footer: [{ label: "Rules", path: "/terms" }],
    },
  },
});

test("brand and public origin come from the configuration file", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("banner").getByRole("link", { name: BRAND })).toBeVisible();
  await expect(page.getByRole("contentinfo")).toContainText(BRAND);
  await expectHead(page, {
    title: `${BRAND} - Browse by State and City`,
    canonical: "https://directory.example/",
  });
  await follow(page, "/state/New%20York");
  await expectHead(page, {
    title: `${BRAND} - Listings in New York`,
    canonical: "https://directory.example/state/New%20York",
  });
  await follow(page, "/about-escort-babylon");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`About ${BRAND}`);
});

test("contact address, legal entity, processing country, retention and law come from it, too", async ({ page }) => {
  await page.goto("/privacy");
  const main = page.getByRole("main");
  await expect(main).toContainText("Portico Publishing LLC");
  await expect(main).toContainText("Data is processed in Canada");
  await expect(main).toContainText("nothing is kept longer than a week");
  await expect(main).toContainText("The gateway writes that address into these records");
  await expect(main.getByRole("link", { name: "write@directory.example" }).first()).toHaveAttribute(
    "href",
    "mailto:write@directory.example",
  );
  await follow(page, "/terms");
  await expect(main).toContainText("the law of Vermont");
});

test("so does the navigation of header and footer", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("banner").getByText("Menu", { exact: true }).click();
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link")).toHaveText(["Start", "Safety"]);
  await expect(page.getByRole("contentinfo").getByRole("link")).toHaveText(["Rules"]);
});

test("no page speaks of the placeholder or of a partner there is none of", async ({ page }) => {
  for (const path of ["/", "/state/Texas", "/city/Texas/Houston", "/terms", "/privacy", "/about-escort-babylon"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.locator("body")).not.toContainText(/Colonnade Directory|Example Partner|example\.com/);
  }
});
