import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import type { Page } from "@playwright/test";

import { expectAccessible } from "../support/axe";
import { expectAccessibleInAllAppearances } from "../support/appearances";
import { tabTo } from "../support/keyboard";
import { expectAccessibleOnPhone } from "../support/phone";
import { publishAltered } from "../support/altered-release";
import { createToken } from "../support/config.mjs";
import { ROOT } from "../support/repository.mjs";
import { clientAt } from "../deployments/clients";
import { expect, expectLive, openTab, signIn, test, type Consoled } from "./console";

const LEGAL = path.join(ROOT, "mfe-legal");
const PAGES = ["Overview", "Releases", "Extensions", "Traffic", "History", "Deployments", "Gateway"];

/** Starts a rollout in steps with traffic, so that every page has content. */
async function fill({ own, operator }: Consoled): Promise<void> {
  const { version } = await publishAltered(operator.access, LEGAL, (file, text) => `${text}/* ${file} */`);
  await operator.deploy({ legal: version }, { steps: "25% for 1h, 50% for 1h, 100%" });
  for (const target of ["/", "/terms", "/terms", "/privacy"]) await clientAt(own.url, 1).view(target);
}

/** Shows the releases of a section, and expects the differences of the two newest in bytes by page and file. */
async function expectDifferences(page: Page): Promise<void> {
  await page.getByLabel("Section").selectOption("legal");
  const rowsOf = (table: RegExp | string, name?: RegExp) =>
    page.getByRole("table", { name: table }).getByRole("row", name && { name });
  await expect(rowsOf("Releases of legal")).toHaveCount(3);
  await expect(rowsOf(/^Bytes of each page/, /\/terms/)).toContainText(/\+\d+/);
  await expect(rowsOf("Changed files", /\.js/).first()).toContainText(/\+\d+/);
}

test("The types of the console come from the description that the gateway serves", async ({ site, request }) => {
  const response = await request.get(`${site.access.url}/api/v1/openapi.json`);
  expect(`${JSON.stringify(await response.json(), null, 2)}\n`).toMatchSnapshot("openapi.json");
});

test("Every page is accessible at every width and color scheme", async ({ page, openConsole, browserErrors }) => {
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
      if (name === "Releases") await expectDifferences(page);
      await expectWholeWords(page);
      await (name === "Overview" ? expectAccessibleInAllAppearances(page) : expectAccessibleOnPhone(page));
    });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 720 });
  await openTab(page, "Overview");
  for (const name of ["Promote", "Pause", "Abort", "Preview", "Roll back legal", "Roll back the whole site"]) {
    await test.step(`Dialog ${name}`, async () => {
      await page.getByRole("button", { name, exact: true }).click();
      await expect(page.getByRole("dialog").getByRole("heading")).toBeFocused();
      // The rest of the page is inert, and was checked above.
      await expectAccessible(page, { selector: "dialog[open]" });
      await page.keyboard.press("Escape");
      await expect(page.getByRole("button", { name, exact: true })).toBeFocused();
    });
  }
  // The plan of a rollback that is not possible.
  for (const error of browserErrors.errors.splice(0)) expect(error).toContain("409");
});

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

test("An operator signs in, aborts and signs out by keyboard alone", async ({ page, openConsole }) => {
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
    await expect(rollout.getByRole("listitem").filter({ hasText: "25%" })).toContainText("1 h left");
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
  await tabTo(page, page.getByRole("link", { name: "Gateway" }));
  await keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Gateway" })).toBeFocused();
  await tabTo(page, page.getByRole("button", { name: "Sign out" }), "Shift+Tab");
  await keyboard.press("Enter");
  await expect(page.getByLabel("Token")).toBeVisible();
});

/** Opens a dialog with the focused button, gives a reason, and submits it. */
async function actByKeyboard(page: Page, heading: string, reason: string): Promise<void> {
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: heading });
  await expect(dialog.getByRole("heading")).toBeFocused();
  await tabTo(page, dialog.getByLabel("Reason"));
  await page.keyboard.type(reason);
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
  expect(browserErrors.errors.splice(0)).toEqual([expect.stringContaining("401")]);
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
  const tokens = [{ name: "legal team", hash, sections: ["legal"], actions: ["rollback"] }];
  const own = await startOwnSite({ config: { admin: { tokens }, site: { facts: { governingLaw: 5 } } } });
  await page.goto(`${own.gateway.admin}/console`);
  await signIn(page, token);
  const actions = page.getByRole("button", { name: /^(Roll back|Preview|End)/ });
  await expect(actions).toHaveText(["Roll back"]);
  await expect(actions).toHaveAccessibleName("Roll back legal");
  await openTab(page, "Deployments");
  await expect(page.getByRole("table", { name: "Retained deployments" })).toBeVisible();
  await expect(actions).toHaveCount(0);
  await test.step("It sees the settings that live releases read and the site lacks", async () => {
    await openTab(page, "Gateway");
    await expect(
      page.getByRole("listitem").filter({ hasText: "reads `site.facts.governingLaw` as a string" }),
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
  for (const error of browserErrors.errors.splice(0)) expect(error).toMatch(/status of 503|ERR_/);
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
    ["Releases", "Nothing is published yet."],
    ["Extensions", "No live section fills an extension point."],
    ["Traffic", "There were no requests in this time."],
    ["History", "There are no changes yet."],
    ["Deployments", "There are no deployments."],
    ["Gateway", "Not ready: nothing is live"],
  ] as const) {
    await openTab(page, name);
    await expect(page.getByText(text)).toBeVisible();
  }
  // The other pages have this page's elements, with another text.
  await expectAccessible(page);
});
