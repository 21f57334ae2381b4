// Sections that the kit did not build. They and the kit's sections share one page, with one React.
import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import { readRelease, RELEASE_FOLDER } from "@colonnade/cli";
import type { Page } from "@playwright/test";

import { countElements, holdRequests, markElements, SHELL, waitForHydration } from "../support/hydration";
import { schemaProblems } from "../support/release-schema";
import { ROOT } from "../support/repository.mjs";
import { expectScreen, follow } from "../support/screens";
import { expect, sectionCommand, test } from "../support/section-command";

const run = promisify(execFile);

interface Example {
  readonly folder: string;
  /** Script that writes its release. */
  readonly script: string;
  readonly name: string;
  /** Its text after `times` clicks. */
  readonly counted: (times: number) => string;
}

const EXAMPLES: readonly Example[] = [
  {
    folder: "plain-section",
    script: "release.js",
    name: "plain",
    counted: (times) => `Welsh, said ${String(times + 1)} times.`,
  },
  {
    folder: "vite-section",
    script: "build.js",
    name: "vite",
    counted: (times) => `Colonnade Directory said it in Welsh ${String(times + 1)} times.`,
  },
];

async function clickAndExpect(page: Page, { counted }: Example): Promise<void> {
  await expect(page.getByText(counted(0))).toBeVisible();
  await page.getByRole("button", { name: "Say it again" }).click();
  await expect(page.getByText(counted(1))).toBeVisible();
}

test("Sections of other toolchains render, hydrate and navigate", async ({ page, request, startOwnSite, folder }) => {
  test.setTimeout(120_000);
  const own = await startOwnSite();
  const section = sectionCommand(own.access);
  const releases: string[] = [];
  for (const example of EXAMPLES) {
    const target = path.join(folder, example.folder);
    await cp(path.join(ROOT, "examples", example.folder), target, {
      recursive: true,
      filter: (source) => !/[/\\](node_modules|release)$/.test(source),
    });
    await run(process.execPath, [example.script], { cwd: target });
    expect(schemaProblems(await readRelease(path.join(target, RELEASE_FOLDER)))).toEqual([]);
    expect(await section(target, "publish")).toBe(`${example.name}@0.1.0 is published\n`);
    releases.push(`${example.name}@0.1.0`);
  }
  // The gateway renders the listed path of each before it accepts the deployment.
  await section(folder, "deploy", ...releases);

  for (const example of EXAMPLES) {
    await test.step(`The server renders ${example.name}`, async () => {
      const response = await request.get(`${own.url}/${example.name}/Welsh`);
      expect(response.status()).toBe(200);
      const html = await response.text();
      expect(html).toContain("<title>Hello in Welsh - Colonnade Directory</title>");
      expect(html).toContain("<h1>Shwmae</h1>");
      expect(html).toContain(example.counted(0));
      const unknown = await request.get(`${own.url}/${example.name}/Klingon`);
      expect(unknown.status()).toBe(404);
      expect(await unknown.text()).toContain("Language not found");
    });

    await test.step(`${example.name} hydrates`, async () => {
      await page.unrouteAll();
      const startShell = await holdRequests(page, SHELL);
      await page.goto(`${own.url}/${example.name}/Welsh`, { waitUntil: "commit" });
      await expectScreen(page, "Shwmae");
      await expect(page.getByRole("contentinfo")).toBeVisible();
      const elements = await markElements(page);
      startShell();
      await waitForHydration(page);
      expect(await countElements(page)).toMatchObject({ preserved: elements });
      await clickAndExpect(page, example);
    });
  }

  await test.step("The plain section extends pages of another", async () => {
    const html = await (await request.get(`${own.url}/state/Texas`)).text();
    expect(html).toContain('<div data-extension="plain">');
    expect(html).toContain("Say hello to Texas in ");
  });

  // The document of the last example, with sections of all toolchains.
  await test.step("The visitor navigates between the sections", async () => {
    await page.evaluate(() => Object.assign(window, { isFirstDocument: true }));
    await page.getByRole("link", { name: "Dutch" }).click();
    await expectScreen(page, "Hallo");
    await follow(page, "/terms");
    await expectScreen(page, "Terms of use");
    for (const example of EXAMPLES) {
      await follow(page, `/${example.name}/Welsh`);
      await expectScreen(page, "Shwmae");
      await clickAndExpect(page, example);
    }
    await follow(page, "/state/Texas");
    await page.getByRole("link", { name: "Dutch" }).click();
    await expectScreen(page, "Hallo");
    await follow(page, "/plain/Klingon");
    await expectScreen(page, "Language not found");
    expect(await page.evaluate(() => "isFirstDocument" in window)).toBe(true);
  });
});
