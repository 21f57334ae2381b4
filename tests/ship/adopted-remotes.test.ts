// Remotes that the plugins of Module Federation built, as sections of one site.
import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import { readRelease, RELEASE_FOLDER } from "@colonnade/cli";
import type { Page } from "@playwright/test";
import { version as REACT } from "react";

import { countElements, holdRequests, markElements, SHELL, waitForHydration } from "../support/hydration";
import { expect, test } from "../support/own-site";
import { schemaProblems } from "../support/release-schema";
import { ROOT } from "../support/repository.mjs";
import { expectScreen, follow } from "../support/screens";
import { sectionCommand } from "../support/section-command";

const run = promisify(execFile);
const BUILD = path.join(ROOT, "tests/support/remote/build.mjs");
const GUIDE = path.join(ROOT, "docs/move-an-existing-remote.md");
// Rspack writes what webpack does, in a quarter of the CPU time.
const TOOLCHAINS = process.env.SOAK ? ["webpack", "rspack", "vite"] : ["rspack", "vite"];

/** The name of a remote, and of the section that adopts it. */
const nameOf = (toolchain: string): string => `shop${toolchain}`;

/** The section module of the guide, for another name. */
async function guideSection(name: string): Promise<string> {
  const [, source = ""] = /^```tsx \[section\.tsx\]\n(.*?)^```$/ms.exec(await readFile(GUIDE, "utf8")) ?? [];
  expect(source.trim().split("\n").length).toBeLessThanOrEqual(15);
  return source.replaceAll("shop", name);
}

/** Makes a built remote say that it bundles a newer React than the shell. It would use its own, if it had the choice. */
async function claimNewerReact(folder: string): Promise<void> {
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith(".js")) continue;
    const script = path.join(folder, file);
    await writeFile(script, (await readFile(script, "utf8")).replaceAll(REACT, "19.99.0"));
  }
}

/** Builds the remotes in one process: the plugins take seconds to load. */
const buildRemotes = (folder: string): Promise<unknown> =>
  run(process.execPath, [
    BUILD,
    ...TOOLCHAINS.flatMap((each) => [each, nameOf(each), path.join(folder, nameOf(each))]),
  ]);

/** Writes the package of a section around the remote that it adopts. */
async function writeSection(folder: string, name: string): Promise<void> {
  await claimNewerReact(path.join(folder, "dist"));
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ name, version: "1.0.0", type: "module" }));
  await writeFile(
    path.join(folder, "section.config.js"),
    `export default { name: ${JSON.stringify(name)}, entry: "./section.tsx", build: { remote: "dist" } };`,
  );
  await writeFile(path.join(folder, "section.tsx"), await guideSection(name));
}

async function expectRemote(page: Page, name: string): Promise<void> {
  await expectScreen(page, "Offers");
  await page.getByRole("button", { name: "Ordered 0" }).click();
  await expect(page.getByRole("button", { name: "Ordered 1" })).toBeVisible();
  const offers = page.locator(".offers");
  await expect(offers).toHaveCSS("color", "rgb(4, 5, 6)");
  await expect(offers).toHaveCSS("animation-name", `${name}_show`);
  await expect(page.locator("body")).not.toHaveCSS("color", "rgb(1, 2, 3)");
  // Its URL is that of the release.
  const image = page.getByRole("img", { name: "An offer" });
  await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1);
}

test("Remotes of several plugins become sections of one site", async ({ page, request, startOwnSite, folder }) => {
  const own = await startOwnSite();
  const section = sectionCommand(own.access);
  const releases: string[] = [];
  await buildRemotes(folder);
  for (const name of TOOLCHAINS.map(nameOf)) {
    const target = path.join(folder, name);
    await writeSection(target, name);
    await section(target, "build", "--final");
    expect(schemaProblems(await readRelease(path.join(target, RELEASE_FOLDER)))).toEqual([]);
    expect(await section(target, "publish")).toBe(`${name}@1.0.0 is published\n`);
    releases.push(`${name}@1.0.0`);
  }
  await section(folder, "deploy", ...releases);

  for (const name of TOOLCHAINS.map(nameOf)) {
    await test.step(`The server renders the fallback of ${name}, and the browser its module`, async () => {
      const html = await (await request.get(`${own.url}/${name}`)).text();
      expect(html).toContain("<h1>Shop</h1>");
      expect(html).toContain("<title>Shop - Colonnade Directory</title>");
      await page.unrouteAll();
      const startShell = await holdRequests(page, SHELL);
      await page.goto(`${own.url}/${name}`, { waitUntil: "commit" });
      await expect(page.getByRole("contentinfo")).toBeVisible();
      const elements = await markElements(page);
      startShell();
      await waitForHydration(page);
      // The remote replaces the heading.
      expect((await countElements(page)).preserved).toBeGreaterThanOrEqual(elements - 1);
      await expectRemote(page, name);
    });
  }

  // The document of the last one, with containers of all plugins.
  await test.step("The visitor navigates between them", async () => {
    await page.evaluate(() => Object.assign(window, { isFirstDocument: true }));
    await follow(page, "/terms");
    await expectScreen(page, "Terms of use");
    for (const name of TOOLCHAINS.map(nameOf)) {
      await follow(page, `/${name}`);
      await expectRemote(page, name);
    }
    expect(await page.evaluate(() => "isFirstDocument" in window)).toBe(true);
  });
});
