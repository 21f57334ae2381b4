import path from "node:path";

import { publishAltered } from "../support/altered-release";
import { expectHttpError } from "../support/http-errors";
import { ROOT } from "../support/repository.mjs";
import { clientAt } from "../deployments/clients";
import { ROLLOUT_COOKIE, rolloutCookie } from "../deployments/cohorts";
import { expect, openTab, signIn, test } from "./console";

const LEGAL = path.join(ROOT, "mfe-legal");
const ARTICLES = path.join(ROOT, "mfe-articles");
// Five clients must fail before the canary analysis ends a rollout. Few requests are enough.
const SMALL = { rollout: { min_views: 4, min_clients: 5, analysis: { min_requests: 4 } } };

test("A failing rollout is taken back by the operator or the gateway", async ({ page, openConsole }) => {
  const { own, operator, token } = await openConsole(SMALL);
  await signIn(page, token);
  const live = page.getByRole("region", { name: "Live", exact: true });
  const liveVersion = live
    .getByRole("row", { name: /^legal/ })
    .getByRole("cell")
    .first();
  const before = await liveVersion.innerText();
  const rollout = page.getByRole("article", { name: "Rollout of legal" });
  const { version } = await publishAltered(operator.access, LEGAL, (_, text) => text);

  /** Lets clients see the candidate and report a failure, and others see the live release. */
  async function fail(candidateNumber: number, hosts: readonly number[]): Promise<void> {
    const live = `${ROLLOUT_COOKIE}=${await rolloutCookie(own, false)}`;
    const candidate = `${ROLLOUT_COOKIE}=${await rolloutCookie(own, true)}`;
    const deployment = `${String((await operator.deployments()).live)}.${String(candidateNumber)}`;
    const report = { deployment, release: `legal@${version}`, phase: "render", error: "Error" };
    for (const host of hosts) {
      // So many that chance does not explain the failures.
      for (let other = 1; other <= 8; other++) await clientAt(own.url, 10 * host + other, live).view("/terms");
      const client = clientAt(own.url, host, candidate);
      await client.view("/terms");
      expect(await client.report(report)).toBe(204);
    }
  }

  const { number } = await operator.deploy({ legal: version }, { percent: 25 });
  await test.step("The candidate appears without a reload", async () => {
    await expect(rollout).toContainText(version);
    await expect(rollout).toContainText("25% of visitors");
  });

  await test.step("Its failures appear beside the live releases", async () => {
    await fail(number, [1, 2, 3, 4]);
    // A change, the next visit or a few seconds show the new numbers.
    await page.reload();
    const cells = rollout.getByRole("row", { name: /^Failed browsers/ }).getByRole("cell");
    await expect(cells).toHaveText(["100% of 4", /^0% of /, /passing/]);
    await rollout.getByText("Traffic since the start").click();
    const failures = rollout.getByRole("row", { name: /^Failures in browsers/ });
    await expect(failures.getByRole("cell").last()).toHaveText("100% (higher than live)");
  });

  await test.step("The operator aborts it with a reason", async () => {
    await rollout.getByRole("button", { name: "Abort" }).click();
    const dialog = page.getByRole("dialog", { name: "Abort the rollout" });
    await expect(dialog).toContainText(`${version} → ${before}`);
    await dialog.getByLabel("Reason").fill("fails in every browser");
    await dialog.getByRole("button", { name: "Abort the rollout" }).click();
    await expect(dialog).toBeHidden();
    await expect(rollout).toBeHidden();
    await expect(liveVersion).toHaveText(before);
    expect((await operator.deployments()).rollouts).toEqual([]);
  });

  await test.step("A rollout in steps appears beside another one", async () => {
    const articles = await publishAltered(operator.access, ARTICLES, (_, text) => text);
    await operator.deploy({ articles: articles.version }, { percent: 10 });
    await operator.deploy({ legal: version }, { steps: "25% for 1h, 50% for 2h, 100%" });
    await expect(page.getByRole("article", { name: "Rollout of articles" })).toContainText("10% of visitors");
    await expect(rollout.getByRole("list", { name: "Steps" }).getByRole("listitem")).toHaveText([
      /25% for 1h.* left/,
      /50% for 2h.*next/,
      "Everyone",
    ]);
    await expect(rollout).toContainText("Too few requests");
  });

  await test.step("The gateway aborts it, and the console shows why", async () => {
    const candidate = (await operator.deployments()).rollouts.find(({ percent }) => percent === 25);
    await fail(candidate?.deployment ?? 0, [1, 2, 3, 4, 5]);
    await expect(rollout).toBeHidden();
    await expect(page.getByRole("article", { name: "Rollout of articles" })).toBeVisible();
    await expect(liveVersion).toHaveText(before);
    const newest = page.getByRole("region", { name: "Recent changes" }).getByRole("listitem").first();
    await expect(newest).toContainText("Aborted automatically");
    await expect(newest).toContainText("100.0 % of 5 clients with the rollout's releases failed");
  });

  await test.step("The history has the reasons and the authors", async () => {
    await openTab(page, "History");
    const entries = page.getByRole("region", { name: "Changes" }).locator(".rows > li").filter({ hasText: "Aborted" });
    await expect(entries).toHaveText([/by gateway.*100\.0 % of 5 clients/, /by operator.*fails in every browser/]);
  });
});

test("A release that is live for everyone is rolled back after a preview", async ({
  page,
  openConsole,
  browserErrors,
}) => {
  const { operator, token } = await openConsole();
  await signIn(page, token);
  const row = page.getByRole("region", { name: "Live" }).getByRole("row", { name: /^legal/ });
  const before = await row.getByRole("cell").first().innerText();
  const { version } = await publishAltered(operator.access, LEGAL, (_, text) => text);
  await operator.deploy({ legal: version }, { percent: 10 });
  const rollout = page.getByRole("article", { name: "Rollout of legal" });
  await rollout.getByRole("button", { name: "Promote" }).click();
  const promote = page.getByRole("dialog", { name: "Promote the candidate" });
  await promote.getByRole("radio", { name: "Everyone" }).check();
  await promote.getByRole("button", { name: "Make it live for everyone" }).click();
  await expect(row).toContainText(version);

  await row.getByRole("button", { name: "Roll back legal" }).click();
  const dialog = page.getByRole("dialog", { name: "Roll back legal" });
  await expect(dialog.getByRole("region", { name: "What changes" })).toContainText(`${version} → ${before}`);
  const changed = await publishAltered(operator.access, LEGAL, (_, text) => text);
  await operator.deploy({ legal: changed.version });
  await dialog.getByRole("button", { name: "Roll back now" }).click();
  await expect(dialog.getByRole("alert"), "the preview no longer holds").toContainText("Nothing was changed");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expectHttpError(browserErrors, 409);

  await row.getByRole("button", { name: "Roll back legal" }).click();
  await expect(dialog.getByRole("region", { name: "What changes" })).toContainText(`${changed.version} → ${version}`);
  await dialog.getByLabel("Reason").fill("broken layout");
  await dialog.getByRole("button", { name: "Roll back now" }).click();
  await expect(dialog).toBeHidden();
  await expect(row).toContainText(version);
  expect((await operator.history()).entries[0]).toMatchObject({ action: "rollback", reason: "broken layout" });
});
