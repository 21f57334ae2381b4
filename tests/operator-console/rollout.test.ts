import path from "node:path";

import { publishAltered } from "../support/altered-release";
import { ROOT } from "../support/repository.mjs";
import { clientAt } from "../deployments/clients";
import { expect, openTab, signIn, test } from "./console";

const LEGAL = path.join(ROOT, "mfe-legal");
// The canary analysis must not be faster than the operator.
const MANUAL = { rollout: { min_views: 1_000_000, min_clients: 1_000_000 } };
const CANDIDATE_COHORT = 0;
const LIVE_COHORT = 4_294_967_295;

test("A failing rollout is shown and can be aborted", async ({ page, openConsole }) => {
  const { own, operator, token } = await openConsole(MANUAL);
  await signIn(page, token);
  const live = page.getByRole("region", { name: "Live" });
  const liveVersion = live
    .getByRole("row", { name: /^legal/ })
    .getByRole("cell")
    .first();
  const before = await liveVersion.innerText();

  const { version } = await publishAltered(operator.access, LEGAL, (_, text) => text);
  const { number } = await operator.deploy({ legal: version }, { percent: 25 });
  const rollout = page.getByRole("article", { name: "Rollout of legal" });
  await test.step("The candidate appears without a reload", async () => {
    await expect(rollout).toContainText(version);
    await expect(rollout).toContainText("25% of visitors");
  });

  await test.step("Its failures appear beside the live releases", async () => {
    const { "set-cookie": cookies = [] } = await clientAt(own.url, 1).view("/");
    const [, id] = /^colonnade-rollout=([^.;]+)\./.exec(cookies.join()) ?? [];
    const cookieOf = (cohort: number): string => `colonnade-rollout=${String(id)}.${String(cohort)}`;
    await clientAt(own.url, 1, cookieOf(LIVE_COHORT)).view("/terms");
    const report = { deployment: number, release: `legal@${version}`, phase: "render", error: "Error" };
    for (let host = 2; host < 6; host += 1) {
      const client = clientAt(own.url, host, cookieOf(CANDIDATE_COHORT));
      await client.view("/terms");
      expect(await client.report(report)).toBe(204);
    }
    // A new minute, a change or the next visit shows the new numbers.
    await page.reload();
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

  await test.step("The history has the reason and the author", async () => {
    await openTab(page, "History");
    const entry = page.getByRole("region", { name: "Changes" }).getByRole("listitem").filter({ hasText: "Aborted" });
    await expect(entry.first()).toContainText("fails in every browser");
    await expect(entry.first()).toContainText("operator");
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
  expect(browserErrors.errors.splice(0)).toEqual([expect.stringContaining("409")]);

  await row.getByRole("button", { name: "Roll back legal" }).click();
  await expect(dialog.getByRole("region", { name: "What changes" })).toContainText(`${changed.version} → ${version}`);
  await dialog.getByLabel("Reason").fill("broken layout");
  await dialog.getByRole("button", { name: "Roll back now" }).click();
  await expect(dialog).toBeHidden();
  await expect(row).toContainText(version);
  expect((await operator.history()).entries[0]).toMatchObject({ action: "rollback", reason: "broken layout" });
});
