// Packages that a shell shares with sections of different teams.
import { mkdir } from "node:fs/promises";
import path from "node:path";

import { expectScreen } from "../support/screens";
import { waitForHydration } from "../support/hydration";
import { expect, sectionCommand, test, writeSection } from "../support/section-command";
import { sharingShell, STACK, stackSection } from "../support/shared-stack.mjs";

test("sections load a shared package once, and other pages not at all", async ({ folder, page, startOwnSite }) => {
  const store = path.join(folder, "store");
  await mkdir(store);
  const site = await startOwnSite({ base: { store } });
  const section = sectionCommand(site.access);
  const files = { shell: sharingShell(STACK), catalog: stackSection("catalog"), checkout: stackSection("checkout") };
  for (const [name, contents] of Object.entries(files)) {
    const own = await writeSection(folder, name, contents);
    // The live shell says what sections take from it.
    for (const command of ["build", "publish", "deploy"]) await section(own, command);
  }
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  const loaded = (all: readonly string[]): string[] => all.filter((file) => /\/shell\/.*\/\d+\.\w+\.js$/.test(file));

  await page.goto(`${site.url}/catalog/about`);
  await waitForHydration(page);
  const later = loaded(requests.splice(0));

  const response = await page.goto(`${site.url}/catalog`);
  const html = (await response?.text()) ?? "";
  expect(html).toContain("<h1>Order at catalog</h1>");
  await page.getByLabel("E-mail").fill("kim@example.com");
  await page.getByRole("button", { name: "Order" }).click();
  await expect(page.locator("output")).toHaveText("1 for kim@example.com");
  await expect(page.getByText("In stock: 7")).toBeVisible();
  const shared = loaded(requests.splice(0)).filter((file) => !later.includes(file));
  expect(shared).toHaveLength(STACK.length);
  for (const file of shared) expect(html).toContain(`<link rel="preload" as="script" href="${file}"`);

  // In the same tab, with the cache of the first section.
  await page.evaluate(() => {
    const link = Object.assign(document.createElement("a"), { href: "/checkout" });
    document.body.append(link);
    link.click();
  });
  await expectScreen(page, "Order at checkout");
  await page.getByLabel("E-mail").fill("kim");
  await page.getByRole("button", { name: "Order" }).click();
  await expect(page.locator("output")).toHaveText("Not an address");
  expect(loaded(requests)).toEqual([]);
});
