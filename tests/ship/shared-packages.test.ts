// Packages that a shell shares with sections of different teams. Small ones: the builds take most of the time.
import { mkdir } from "node:fs/promises";
import path from "node:path";

import { expect, test } from "../support/own-site";
import { expectScreen } from "../support/screens";
import { sharingSection, sharingShell } from "../support/generated-sections.mjs";
import { waitForHydration } from "../support/hydration";
import { sectionCommand, writeSection, type SectionFiles } from "../support/section-command";

const packageFiles = (name: string, text: string): SectionFiles => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({
    name,
    version: "1.0.0",
    type: "module",
    exports: "./index.js",
  }),
  [`node_modules/${name}/index.js`]: text,
});

/** Installed in each folder. `counter` has a state, which `labels` reads. */
const PACKAGES: SectionFiles = {
  ...packageFiles("counter", "let count = 0; export const next = () => ++count; export const last = () => count;"),
  ...packageFiles("labels", 'import { last } from "counter"; export const label = () => `Order ${last()}`;'),
};
const SHARED = ["counter", "labels"];

const SHELL: SectionFiles = { ...PACKAGES, ...sharingShell(SHARED) };

const sectionFiles = (name: string): SectionFiles => ({
  ...PACKAGES,
  ...sharingSection(
    name,
    { counter: "^1.0.0", labels: "^1.0.0" },
    `
import { definePage } from "@colonnade/kit";
import { next } from "counter";
import { label } from "labels";
import { useState } from "react";
function Page() {
  const [text, setText] = useState("");
  const order = () => { next(); setText(label()); };
  return <><h1>Order at ${name}</h1><button onClick={order}>Order</button><output>{text}</output></>;
}
export const page = definePage({
  data: () => null,
  head: () => ({ title: "Order", description: "Order at ${name}", canonical: "/${name}" }),
  Component: Page,
});`,
  ),
});

test("sections load a shared package once, and other pages not at all", async ({ folder, page, startOwnSite }) => {
  const store = path.join(folder, "store");
  await mkdir(store);
  const site = await startOwnSite({ base: { store } });
  const section = sectionCommand(site.access);
  const files = { shell: SHELL, catalog: sectionFiles("catalog"), checkout: sectionFiles("checkout") };
  for (const [name, contents] of Object.entries(files)) {
    const own = await writeSection(folder, name, contents);
    // The live shell says what sections take from it.
    for (const command of ["build", "publish", "deploy"]) await section(own, command);
  }
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  /** Opens a page, and returns the scripts that its document preloads. */
  const open = async (target: string): Promise<readonly string[]> => {
    const html = (await (await page.goto(`${site.url}${target}`))?.text()) ?? "";
    await waitForHydration(page);
    return Array.from(html.matchAll(/<link rel="preload" as="script" href="([^"]+)"/g), ([, href = ""]) => href);
  };
  const order = page.getByRole("button", { name: "Order" });

  const plain = await open("/catalog/about");
  const preloaded = await open("/catalog");
  await expectScreen(page, "Order at catalog");
  await order.click();
  await expect(page.locator("output")).toHaveText("Order 1");
  const shared = preloaded.filter((file) => file.startsWith("/assets/shell/") && !plain.includes(file));
  expect(shared).toHaveLength(SHARED.length);
  const sharedRequests = (): readonly string[] => requests.filter((file) => shared.includes(file));
  expect(sharedRequests().toSorted(), "requests of both pages").toEqual(shared.toSorted());

  // In the same tab, with the packages of the first section.
  await page.evaluate(() => {
    const link = Object.assign(document.createElement("a"), { href: "/checkout" });
    document.body.append(link);
    link.click();
  });
  await expectScreen(page, "Order at checkout");
  await order.click();
  await expect(page.locator("output")).toHaveText("Order 2");
  expect(sharedRequests()).toHaveLength(SHARED.length);
});
