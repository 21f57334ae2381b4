// A section that uses Tailwind, a web worker and WebAssembly as any React project does.
import { cp } from "node:fs/promises";
import path from "node:path";

import type { Page } from "@playwright/test";

import { waitForHydration } from "../support/hydration";
import { expect, test } from "../support/own-site";
import { sectionCommand } from "../support/section-command";

const SOURCES = path.join(import.meta.dirname, "../support/npm-section");

/** The computed styles of the shell's elements: with the stylesheets of the section, and without. */
async function shellStyles(page: Page): Promise<readonly (readonly string[])[]> {
  return page.evaluate(() => {
    // Registered custom properties exist on every element; those of the section have its name.
    const read = (): string[] =>
      [...document.querySelectorAll("header, header *, footer, footer *")].map((element) => {
        const style = getComputedStyle(element);
        const properties = [...style].filter((property) => !property.startsWith("--packages_"));
        const values = properties.map((property) => `${property}: ${style.getPropertyValue(property)}`);
        return values.sort().join("\n");
      });
    // The first read makes Chromium lay out what it has skipped because it is not visible.
    read();
    const before = read();
    for (const sheet of document.styleSheets)
      if ([...sheet.cssRules].some(({ cssText }) => cssText.includes("packages_scope"))) sheet.disabled = true;
    return [before, read()];
  });
}

test("Ordinary packages work under the site's policy", async ({ page, startOwnSite, site, folder }) => {
  await cp(SOURCES, folder, { recursive: true });
  const own = await startOwnSite({ config: { assets: { allow_wasm: true } } });
  const section = sectionCommand(own.access);
  // In another working directory. Tailwind reads the files of the section.
  await section(folder, "build");

  await test.step("WebAssembly needs the operator's permission", async () => {
    const refused = sectionCommand(site.access)(folder, "publish");
    await expect(refused).rejects.toThrow(/`client\/add\.\w+\.wasm` is WebAssembly.*`allow_wasm = true`/);
    await section(folder, "publish");
    await section(folder, "deploy");
  });

  await page.goto(`${own.url}/packages`);
  const heading = page.getByRole("heading", { level: 1 });

  await test.step("a worker and the page run WebAssembly", async () => {
    await expect(page.getByRole("main").getByRole("status")).toHaveText("page 5, worker 42");
  });

  await test.step("Tailwind's utilities, theme and animations apply", async () => {
    await expect(heading).toHaveCSS("color", "rgb(1, 2, 3)");
    await expect(heading).toHaveCSS("padding", "7px");
    await expect(heading).toHaveCSS("animation-name", "packages_spin");
    await expect(heading).toHaveCSS("box-shadow", /0\.1\) 0px 4px 6px -1px/);
  });

  await test.step("Tailwind's stylesheet changes nothing outside of the section", async () => {
    await page.evaluate(() => document.fonts.ready);
    const [before, after] = await shellStyles(page);
    expect(before).toEqual(after);
    await expect(heading).not.toHaveCSS("padding", "7px");
  });

  await test.step("a page has one cascade, however the visitor comes to it", async () => {
    const colors = { one: "rgb(128, 0, 128)", two: "rgb(0, 128, 128)", three: "rgb(0, 128, 128)" };
    type Name = keyof typeof colors;
    const expectBox = async (name: Name): Promise<void> => {
      await expect(heading).toHaveText(name);
      await expect(page.locator(".box")).toHaveCSS("color", colors[name]);
    };
    const follow = async (name: Name): Promise<void> => {
      await page.getByRole("main").getByRole("link", { name }).click();
      await expectBox(name);
    };
    for (const name of ["two", "one"] as const) {
      // With the stylesheets of the first view in the document.
      await page.goto(`${own.url}/packages/${name}`);
      await expectBox(name);
      await waitForHydration(page);
      for (const other of ["one", "three", "two", "three", "one", "two"] as const) await follow(other);
      await page.goBack();
      await expectBox("one");
      await page.goBack();
      await expectBox("three");
    }
  });

  await test.step("plain stylesheets apply in a portal, which leaves with its page", async () => {
    await page.goto(`${own.url}/packages/two`);
    const content = page.getByText("In the section");
    await expect(content).toHaveCSS("color", "rgb(128, 128, 0)");
    // The rules for `body` match the container, too. It passes the font on, without a height.
    await expect(content).toHaveCSS("font-style", "italic");
    const below = await page.evaluate(
      () =>
        document.body.getBoundingClientRect().bottom -
        Number(document.querySelector("footer")?.getBoundingClientRect().bottom),
    );
    expect(below).toBeLessThan(100);
    await page.getByRole("main").getByRole("link", { name: "one" }).click();
    await expect(heading).toHaveText("one");
    await expect(page.locator("body > .packages_scope")).toHaveCount(0);
  });
});
