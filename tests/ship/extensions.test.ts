// Extension points between sections of different teams: the bundled directory opens one that a new section fills, and the new
// section opens one for a third.
import type { Locator } from "@playwright/test";

import { expectErrorsAbout } from "../isolation/expectations";
import { holdRequests, waitForHydration } from "../support/hydration";
import { expectScreen } from "../support/screens";
import { expect, sectionCommand, test, writeSection, type SectionFiles } from "../support/section-command";

const PACKAGE = JSON.stringify({ version: "1.0.0", private: true, type: "module" });
const config = (name: string): string =>
  `import { defineConfig } from "@colonnade/cli"; export default defineConfig({ name: "${name}", entry: "./src/section.ts" });`;

const KITES: SectionFiles = {
  "package.json": PACKAGE,
  "section.config.js": config("kites"),
  "src/section.ts": `
import { defineSection } from "@colonnade/kit";
export default defineSection({
  name: "kites",
  contract: 1,
  pages: { "/kites": () => import("./page") },
  extensions: { "directory/city-aside@1": () => import("./aside") },
});`,
  "src/points.ts": `
import { defineExtensionPoint } from "@colonnade/kit/extensions";
export const below = defineExtensionPoint<{ wind: number }>({ id: "kites/below", version: 1, max: 2, examples: [{ wind: 3 }] });`,
  "src/page.tsx": `
import { definePage } from "@colonnade/kit";
import { ExtensionPoint } from "@colonnade/kit/extensions";
import { below } from "./points";
export const page = definePage({
  extensionPoints: [below],
  data: () => undefined,
  head: () => ({ title: "Kites", description: "Kites", canonical: "/kites" }),
  Component: () => <><h1>Kites</h1><ExtensionPoint point={below} props={{ wind: 5 }} empty={<p>No flags</p>} /></>,
});`,
  "src/aside.module.css": ".aside { color: rgb(1, 2, 3); }",
  "src/aside.tsx": `
import { Link } from "@colonnade/kit";
import { defineExtension } from "@colonnade/kit/extensions";
import { useId, useState } from "react";
import css from "./aside.module.css";
function Aside({ props, data }: { readonly props: { city: string }; readonly data: string }) {
  const id = useId();
  const [count, setCount] = useState(0);
  return (
    <aside className={css.aside}>
      <label htmlFor={id}>Kites over {props.city}, {data}</label>
      <input id={id} />
      <button onClick={() => setCount(count + 1)}>{count} kites</button>
      <Link to="/kites">All kites</Link>
    </aside>
  );
}
export const extension = defineExtension({
  order: 5,
  data: ({ site }: { props: { city: string }, site: { brand: string } }) => site.brand,
  Component: Aside,
});`,
};

const FLAGS: SectionFiles = {
  "package.json": PACKAGE,
  "section.config.js": config("flags"),
  "src/section.ts": `
import { defineSection } from "@colonnade/kit";
export default defineSection({
  name: "flags",
  contract: 1,
  pages: {},
  extensions: {
    "kites/below@1": () => import("./below"),
    "directory/city-aside@1": () => import("./broken"),
  },
});`,
  "src/below.tsx": `
import { defineExtension } from "@colonnade/kit/extensions";
export const extension = defineExtension({
  data: () => "flags",
  Component: ({ props, data }: { props: { wind: number }; data: string }) => <p>{props.wind} {data}</p>,
});`,
  "src/broken.tsx": `
import { defineExtension } from "@colonnade/kit/extensions";
import { useEffect } from "react";
function Broken() {
  useEffect(() => {
    throw new Error("a torn flag");
  }, []);
  return <p>A flag from the server</p>;
}
export const extension = defineExtension({ order: 1, data: () => "", Component: Broken });`,
};

/** Whether React has hydrated an element. */
function isReacts(element: Locator): Promise<boolean> {
  return element.evaluate((node) => Object.keys(node).some((name) => name.startsWith("__reactFiber$")));
}

test("Sections extend each other's pages, in one document", async ({
  page,
  browser,
  browserErrors,
  startOwnSite,
  folder,
}) => {
  const own = await startOwnSite();
  const section = sectionCommand(own.access);
  for (const [name, files] of Object.entries({ kites: KITES, flags: FLAGS })) {
    const target = await writeSection(folder, name, files);
    for (const command of ["build", "publish", "deploy"]) await section(target, command);
  }
  const city = `${own.url}/city/Texas/Austin`;

  await test.step("Without JavaScript, all of it is there, in order", async () => {
    const other = await browser.newPage({ javaScriptEnabled: false });
    await other.goto(city);
    const place = other.locator("[data-extension-point='directory/city-aside@1']");
    await expect(place.locator("> *")).toHaveCount(3);
    expect(
      await place.locator("> *").evaluateAll((all) => all.map((one) => one.getAttribute("data-extension"))),
    ).toEqual(["flags", "kites", "articles"]);
    await expect(place.getByText("Kites over Austin")).toHaveCSS("color", "rgb(1, 2, 3)");
    await place.getByRole("link", { name: "All kites" }).click();
    await expect(other.getByText("5 flags")).toBeVisible();
    await expect(other.getByText("No flags")).toBeHidden();
    await other.close();
  });

  await test.step("An extension keeps what was typed before its code came, and a broken one its HTML", async () => {
    const release = await holdRequests(page, /\/assets\/kites\/.*\.js$/);
    await page.goto(city, { waitUntil: "domcontentloaded" });
    await expectScreen(page, "Austin, Texas");
    const input = page.getByLabel("Kites over Austin, Colonnade Directory");
    await input.fill("red");
    release();
    const button = page.getByRole("button", { name: "0 kites" });
    await expect.poll(() => isReacts(button)).toBe(true);
    await button.click();
    await expect(page.getByRole("button", { name: "1 kites" })).toBeVisible();
    await expect(input).toHaveValue("red");
    await expect(page.getByText("A flag from the server")).toBeVisible();
  });

  await test.step("After a navigation in the browser, the extensions of the next page are loaded", async () => {
    let documents = 0;
    page.on("request", (request) => {
      if (request.isNavigationRequest()) documents += 1;
    });
    await page.getByRole("link", { name: "All kites" }).click();
    await expectScreen(page, "Kites");
    await expect(page.getByText("5 flags")).toBeVisible();
    await page.goBack();
    await expect(page.getByRole("button", { name: "0 kites" })).toBeVisible();
    await waitForHydration(page);
    expect(documents).toBe(0);
    // Without the server's HTML, it shows nothing.
    await expect(page.getByText("A flag from the server")).toHaveCount(0);
    expectErrorsAbout(browserErrors, "a torn flag");
  });
});
