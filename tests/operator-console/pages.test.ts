import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import type { Page } from "@playwright/test";

import { expectAccessible } from "../support/axe";
import { expectAccessibleInAllAppearances } from "../support/appearances";
import { expectErrorsAbout } from "../support/browser-errors";
import { expectHttpError } from "../support/http-errors";
import { tabTo } from "../support/keyboard";
import { expectAccessibleOnPhone } from "../support/phone";
import { deployAltered, publishAltered } from "../support/altered-release";
import { createToken } from "../support/config.mjs";
import { ROOT } from "../support/repository.mjs";
import { clientAt } from "../deployments/clients";
import { expect, expectLive, openTab, signIn, test, type Consoled } from "./console";

const ARTICLES = path.join(ROOT, "mfe-articles");
const LEGAL = path.join(ROOT, "mfe-legal");
const PAGES = ["Overview", "Sections", "Extensions", "Traffic", "History", "Deployments", "Gateways"];

/** Starts a rollout in steps with traffic and an error, so that every page has content. */
async function fill({ own, operator }: Consoled): Promise<void> {
  const { live } = await operator.deployments();
  const scripts: string[] = [];
  const { version } = await publishAltered(operator.access, LEGAL, (file, text) => {
    if (file.startsWith("client/")) scripts.push(file.replace("client/", ""));
    return `${text}/* ${file} */`;
  });
  const { number } = await operator.deploy({ legal: version }, { steps: "25% for 1h, 50% for 1h, 100%" });
  const deployment = `${String(live)}.${String(number)}`;
  const position = `${String(scripts[0])}:2:7`;
  const error = {
    deployment,
    release: `legal@${version}`,
    phase: "render",
    error: "TypeError",
    page: "/terms",
    position,
  };
  expect(await clientAt(own.url, 1).report(error)).toBe(204);
  for (const target of ["/", "/terms", "/terms", "/privacy"]) await clientAt(own.url, 1).view(target);
}

/** Shows a section, and expects the differences of the two newest in bytes by page and file. */
async function expectDifferences(page: Page): Promise<void> {
  await page.getByRole("rowheader", { name: "legal" }).getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1, name: "legal" })).toBeFocused();
  await expect(page.getByRole("table", { name: "Errors of legal" })).toContainText(/client\/\S+\.js:2:7/);
  await page.getByText("Compare two releases").click();
  const rowsOf = (table: RegExp | string, name?: RegExp) =>
    page.getByRole("table", { name: table }).getByRole("row", name && { name });
  await expect(rowsOf("Releases of legal")).toHaveCount(3);
  await expect(rowsOf(/^Bytes of each page/, /\/terms/)).toContainText(/\+\d+/);
  await expect(rowsOf("Changed files", /\.js/).first()).toContainText(/\+\d+/);
}

test("Every page is accessible at every width and color scheme", async ({ page, openConsole }) => {
  // The analysis passes without requests, and has too few documents.
  const consoled = await openConsole({ rollout: { analysis: { min_requests: 0 } } });
  await expectAccessibleInAllAppearances(page);
  await fill(consoled);
  await signIn(page, consoled.token);
  for (const name of PAGES) {
    await test.step(name, async () => {
      await openTab(page, name);
      await expect(page.getByRole("main")).toHaveAttribute("aria-busy", "false");
      // Its versions are long, and there are two to compare.
      if (name === "Overview") await page.getByText("Traffic since the start").click();
      if (name === "Sections") {
        await expectAccessibleOnPhone(page);
        await expectDifferences(page);
      }
      if (name === "Gateways") await expect(page.getByRole("region", { name: "Fleet" })).toContainText("this one");
      await expectWholeWords(page);
      await (["Overview", "Sections"].includes(name)
        ? expectAccessibleInAllAppearances(page)
        : expectAccessibleOnPhone(page));
    });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 720 });
  await openTab(page, "Overview");
  for (const name of ["Promote", "Pause", "Abort", "Preview"]) {
    await test.step(`Dialog ${name}`, async () => {
      await page.getByRole("button", { name, exact: true }).click();
      await expect(page.getByRole("dialog").getByRole("heading")).toBeFocused();
      // The rest of the page is inert, and was checked above.
      await expectAccessible(page, { selector: "dialog[open]" });
      await page.keyboard.press("Escape");
      await expect(page.getByRole("button", { name, exact: true })).toBeFocused();
    });
  }
  // Nothing else was live before, and the other release of `legal` is in a rollout.
  await expect(page.getByRole("button", { name: /^Roll back/ })).toHaveCount(0);
  await test.step("With a hundred sections", async () => {
    await addSections(page, 100);
    await page.reload();
    for (const name of ["Sections", "Traffic"]) {
      await openTab(page, name);
      await expect(page.getByText(/^10\d sections$/)).toBeVisible();
      await expectAccessible(page);
    }
  });
});

/** Adds copies of `legal` to what the console reads. */
async function addSections(page: Page, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `team-${String(index)}`);
  await page.route(/\/api\/v1\/sections$/, async (route) => {
    const response = await route.fetch();
    const sections = (await response.json()) as { name: string }[];
    const legal = sections.find(({ name }) => name === "legal");
    await route.fulfill({ response, json: [...sections, ...names.map((name) => ({ ...legal, name }))] });
  });
  await page.route(/\/api\/v1\/traffic\?/, async (route) => {
    const response = await route.fetch();
    const traffic = (await response.json()) as { series: { section: string; track: string }[] };
    // The group of a visitor is random: at times all of them got the candidate.
    const legal = traffic.series.find(({ section }) => section === "legal");
    const series = [...traffic.series, ...names.map((section) => ({ ...legal, section, track: "live" }))];
    await route.fulfill({ response, json: { ...traffic, series } });
  });
}

/** Expects that the headers of tables break only between words, also on a phone. */
async function expectWholeWords(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  const broken = await page.locator("th").evaluateAll((headers) =>
    headers.flatMap((header) => {
      const texts = document.createTreeWalker(header, NodeFilter.SHOW_TEXT);
      const words: string[] = [];
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        // Names of files break anywhere, and some texts are hidden visually.
        if (node.parentElement?.closest("code") || (node.parentElement?.offsetWidth ?? 0) <= 1) continue;
        for (const { 0: word, index } of (node.textContent ?? "").matchAll(/[a-z]+/gi)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          if (new Set(Array.from(range.getClientRects(), ({ top }) => top)).size > 1) words.push(word);
        }
      }
      return words;
    }),
  );
  expect(broken).toEqual([]);
}

test("An operator signs in, aborts and signs out by keyboard alone", async ({ page, openConsole, browserErrors }) => {
  const consoled = await openConsole();
  await fill(consoled);
  const { keyboard } = page;
  await expect(page.getByLabel("Token")).toBeFocused();
  await keyboard.type(consoled.token);
  await keyboard.press("Enter");
  await expectLive(page);
  await tabTo(page, page.getByRole("link", { name: "Skip to content" }));
  await keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  const rollout = page.getByRole("article", { name: "Rollout of legal" });
  await test.step("The rollout is paused and resumed", async () => {
    const pause = rollout.getByRole("button", { name: "Pause" });
    await tabTo(page, pause);
    await actByKeyboard(page, "Pause the steps", "wait for the newsletter");
    await expect(rollout.getByRole("listitem").filter({ hasText: "25%" })).toContainText("paused");
    await expect(rollout).toContainText("“wait for the newsletter”");
    await expect(rollout.getByRole("button", { name: "Resume" })).toBeFocused();
    await actByKeyboard(page, "Resume the steps", "it is sent");
    await expect(rollout.getByRole("listitem").filter({ hasText: "25%" })).toContainText(/\d (?:h|min) left/);
    await expect(pause).toBeFocused();
  });
  await test.step("A chart is read", async () => {
    await tabTo(page, rollout.getByText("Traffic since the start"));
    await keyboard.press("Enter");
    const chart = rollout.getByRole("slider");
    await tabTo(page, chart);
    const before = await chart.getAttribute("aria-valuetext");
    await keyboard.press("Home");
    await expect(chart).not.toHaveAttribute("aria-valuetext", before ?? "");
  });
  await test.step("The rollout is aborted", async () => {
    await tabTo(page, rollout.getByRole("button", { name: "Abort" }), "Shift+Tab");
    await actByKeyboard(page, "Abort the rollout", "by keyboard");
    await expect(rollout).toBeHidden();
  });
  await test.step("A release is found, deployed and rolled back", () => deployByKeyboard(page));
  await tabTo(page, page.getByRole("button", { name: "Sign out" }), "Shift+Tab");
  await keyboard.press("Enter");
  await expect(page.getByLabel("Token")).toBeVisible();
  // What the console was still reading after the change.
  expectErrorsAbout(browserErrors, "status of 401");
});

/** Finds the release that was aborted, deploys it, and rolls it back. */
async function deployByKeyboard(page: Page): Promise<void> {
  const { keyboard } = page;
  await keyboard.press("Control+k");
  const box = page.getByRole("combobox", { name: "Page, section, path, release or deployment" });
  await expect(box).toBeFocused();
  await keyboard.type("legal");
  await expect(page.getByRole("option", { selected: true })).toContainText("Section");
  await expectAccessible(page, { selector: "dialog[open]" });
  await keyboard.press("ArrowDown");
  await expect(page.getByRole("option", { selected: true })).toContainText("Release");
  await keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "legal" })).toBeFocused();
  expect(new URL(page.url()).pathname).toBe("/console/sections/legal");
  await tabTo(page, page.getByRole("button", { name: /^Deploy / }));
  await keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Deploy legal" });
  await expect(dialog.getByRole("region", { name: "What changes" })).toContainText("For every visitor, at once");
  await expectAccessible(page, { selector: "dialog[open]" });
  await keyboard.press("Escape");
  await actByKeyboard(page, "Deploy legal", "by keyboard");
  await expect(page.getByRole("status").filter({ hasText: "is live for everyone" })).toBeVisible();
  // The button of the release that is live now is gone.
  await expect(page.getByRole("heading", { level: 1, name: "legal" })).toBeFocused();
  await tabTo(page, page.getByRole("button", { name: "Roll back" }));
  await actByKeyboard(page, "Roll back legal", "by keyboard");
  await expect(page.getByRole("status").filter({ hasText: "Rolled back legal" })).toBeVisible();
}

/** Opens a dialog with the focused button, gives a reason, and submits it. */
async function actByKeyboard(page: Page, heading: string, reason: string): Promise<void> {
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: heading });
  await expect(dialog.getByRole("heading")).toBeFocused();
  await tabTo(page, dialog.getByLabel("Reason"));
  await page.keyboard.type(reason);
  // The gateway has planned the change.
  await expect(dialog.locator("button[type=submit]")).toBeEnabled();
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
}

test("A wrong token is explained, and a valid one is not kept", async ({
  page,
  context,
  openConsole,
  browserErrors,
}) => {
  const { token } = await openConsole();
  await page.getByLabel("Token").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByText("The gateway does not know this token").first()).toBeVisible();
  await expectAccessible(page);
  await expectHttpError(browserErrors, 401);
  await signIn(page, token);
  const stored = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie]),
  );
  expect(stored).not.toContain(token);
  expect(await page.content()).not.toContain(token);
  const [cookie, ...others] = await context.cookies();
  expect(others).toEqual([]);
  expect(cookie).toMatchObject({ name: "colonnade-session", httpOnly: true, sameSite: "Strict", path: "/" });
  expect(cookie?.value).not.toContain(token);
  await page.reload();
  await expectLive(page);
});

test("A token without a right does not see the action", async ({ page, startOwnSite }) => {
  const { token, hash } = createToken();
  const tokens = [{ name: "articles team", hash, sections: ["articles"], actions: ["rollback", "publish", "deploy"] }];
  const own = await startOwnSite({ config: { admin: { tokens }, site: { facts: { governingLaw: 5 } } } });
  // There is something to roll back to.
  await deployAltered({ ...own, access: { url: own.gateway.admin, token } }, ARTICLES, (_, text) => text);
  await page.goto(`${own.gateway.admin}/console`);
  await signIn(page, token);
  const actions = page.getByRole("button", { name: /^(Roll back|Preview|End)/ });
  await expect(actions).toHaveText(["Roll back"]);
  await expect(actions).toHaveAccessibleName("Roll back articles");
  await openTab(page, "Deployments");
  await expect(page.getByRole("table", { name: "Retained deployments" })).toBeVisible();
  await expect(actions).toHaveCount(0);
  await test.step("It sees the settings that live releases read and the site lacks", async () => {
    await openTab(page, "Gateways");
    await expect(
      page
        .getByRole("region", { name: "Problems" })
        .getByRole("listitem")
        .filter({ hasText: "reads site.facts.governingLaw as a string" }),
    ).toBeVisible();
  });
});

test("Without events the data is marked as old", async ({ page, openConsole, browserErrors }) => {
  const { token, own } = await openConsole({ limits: { shutdown_delay_ms: 60_000 } });
  await signIn(page, token);
  await test.step("The gateway shuts down: it responds, but sends no events", async () => {
    process.kill(own.gateway.pid, "SIGTERM");
    await expect(page.getByRole("status").filter({ hasText: "Offline" })).toBeVisible();
    await expectOldData(page);
    await expectAccessible(page);
  });
  await test.step("The gateway is gone", async () => {
    const failed = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/session"));
    process.kill(own.gateway.pid, "SIGKILL");
    await failed;
    await expectOldData(page);
  });
  // The console tries again until it is closed.
  await page.close();
  expectErrorsAbout(browserErrors, /status of 503|ERR_/);
});

/** Expects that the page shows what was live, and says that it may have changed. */
async function expectOldData(page: Page): Promise<void> {
  await expect(page.getByRole("alert").filter({ hasText: "may be out of date" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Live" })).toContainText("legal");
}

test("A gateway without releases says what to do", async ({ page, startOwnSite }) => {
  const store = await mkdtemp(path.join(os.tmpdir(), "colonnade-empty-"));
  const { token, hash } = createToken();
  const tokens = [{ name: "operator", hash, sections: ["*"], actions: ["publish"] }];
  const own = await startOwnSite({ base: { store }, config: { admin: { tokens } } });
  await rm(store, { recursive: true });
  await page.goto(`${own.gateway.admin}/console`);
  await signIn(page, token);
  await expect(page.getByText("Nothing is live.")).toBeVisible();
  for (const [name, text] of [
    ["Sections", "Nothing is published yet."],
    ["Extensions", "No live section fills an extension point."],
    ["Traffic", "There were no requests in this time."],
    ["History", "There are no changes yet."],
    ["Deployments", "There are no deployments."],
    ["Gateways", "Not ready: nothing is live"],
  ] as const) {
    await openTab(page, name);
    await expect(page.getByText(text)).toBeVisible();
  }
  // The other pages have this page's elements, with another text.
  await expectAccessible(page);
});
