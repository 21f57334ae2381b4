import { expect } from "@playwright/test";

import { runChecks, type Check } from "../support/checks";
import { deployAltered } from "../support/altered-release";
import { FAULT, useFaultySite } from "../support/faulty-site";
import { test } from "../support/own-site";
import { sectionCommand } from "../support/section-command";
import { expectScreen } from "../support/screens";
import {
  clearFault,
  expectErrorsAbout,
  expectFallback,
  expectOtherSectionsWork,
  expectRetryFails,
} from "./expectations";

const faulty = useFaultySite();

test("A page falls back when it throws, and a retry recovers", async ({ page, browserErrors }) => {
  const expectContained = async (place: string): Promise<void> => {
    await page.goto(`${faulty.site.url}/faulty/${place}`);
    await expectFallback(page);
    await expectOtherSectionsWork(page, "faulty");
    await page.goto(`${faulty.site.url}/faulty/${place}`);
    await expectFallback(page);
    await clearFault(page);
    await page.getByRole("button", { name: "Try again" }).click();
    await expectScreen(page, "The fault is cleared");
    expectErrorsAbout(browserErrors, FAULT);
  };
  await runChecks(
    ["data", "head", "render", "effect"].map((place): Check => [`in ${place}`, () => expectContained(place)]),
  );
});

test("A page that keeps throwing reloads with the live release", async ({ page, startOwnSite, browserErrors }) => {
  const repaired = await startOwnSite({ base: faulty.site });
  await page.goto(`${repaired.url}/faulty/render`);
  await expectFallback(page);
  await expectRetryFails(page);
  await deployAltered(repaired, faulty.folder, (_, text) => text.replaceAll("globalThis.faultCleared", "true"));
  await page.getByRole("button", { name: "Try again" }).click();
  await expectScreen(page, "The fault is cleared");
  expectErrorsAbout(browserErrors, FAULT);
});

test("The team of a failing page sees its errors", async ({ page, browserErrors }) => {
  const section = sectionCommand(faulty.site.access);
  await page.goto(`${faulty.site.url}/faulty/render`);
  await expectFallback(page);
  const readErrors = async (): Promise<unknown> => {
    const { errors } = JSON.parse(await section(faulty.folder, "errors", "--json")) as { errors: unknown };
    return errors;
  };
  const error = { section: "faulty", page: "/faulty/render", source: "browser", cause: "render", class: "Error" };
  await expect.poll(readErrors).toContainEqual(expect.objectContaining(error));
  expectErrorsAbout(browserErrors, FAULT);
});
