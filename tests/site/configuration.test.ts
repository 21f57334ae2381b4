import { runChecks } from "../support/checks";
import { expectHead } from "../support/head";
import { expect, test } from "../support/own-site";
import { follow } from "../support/screens";

const BRAND = "Portico & Sons <Guide>";

test("Pages follow the configuration file", async ({ page, startOwnSite }) => {
  const { url } = await startOwnSite({
    partner: false,
    config: {
      site: {
        brand: BRAND,
        origin: "https://directory.example",
        contact: "write@directory.example",
        facts: {
          legalEntity: "Portico Publishing LLC",
          processingCountry: "Canada",
          retention: "nothing is kept longer than a week",
          governingLaw: "the law of Vermont",
          exit: "https://www.example.com/",
        },
      },
      telemetry: { log_client_ip: true },
      navigation: {
        menu: {
          labels: { "/": "Start" },
          hide: ["/about-escort-babylon"],
          links: [{ label: "Safety", path: "/about-escort-babylon/safety-guide" }],
        },
        footer: {
          order: ["/privacy"],
          labels: { "/terms": "Rules" },
          hide: ["/about-escort-babylon", "/about-escort-babylon/safety-guide"],
        },
      },
    },
  });

  await runChecks([
    [
      "brand and public origin",
      async () => {
        await page.goto(url);
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
        await expect(page).toHaveTitle(`Guides - ${BRAND}`);
      },
    ],
    [
      "contact, legal entity, processing country, retention and law",
      async () => {
        await page.goto(`${url}/privacy`);
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
      },
    ],
    [
      "navigation of header and footer",
      async () => {
        await page.goto(url);
        await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link")).toHaveText(["Safety", "Start"]);
        await expect(page.getByRole("contentinfo").getByRole("link")).toHaveText([
          "Privacy",
          "Rules",
          "Get help / Report",
        ]);
      },
    ],
    [
      "no placeholders, and no partner when none is configured",
      async () => {
        const paths = ["/", "/state/Texas", "/city/Texas/Houston", "/terms", "/privacy", "/about-escort-babylon"];
        for (const path of paths) {
          const response = await page.request.get(url + path);
          expect(response.status()).toBe(200);
          const html = (await response.text()).replaceAll(/<script.*?<\/script>/gs, "");
          expect(/Colonnade Directory|Example Partner|example\.com/.exec(html), path).toBeNull();
        }
      },
    ],
  ]);
});
