import path from "node:path";

import { publishAltered } from "../support/altered-release";
import { ROOT } from "../support/repository.mjs";
import { openPage } from "../support/signup";
import { ROLLOUT_COOKIE } from "./cohorts";
import { expect, test } from "./operator";

const DAY_S = 24 * 60 * 60;

test("A rollout sets one cookie with its ID and a random cohort", async ({ page, context, operate }) => {
  const { own, operator } = await operate();
  await openPage(page, `${own.url}/terms`);
  expect(await context.cookies()).toEqual([]);

  const { name, version } = await publishAltered(operator.access, path.join(ROOT, "mfe-legal"), (_, text) => text);
  const { number: canary } = await operator.deploy({ [name]: version }, { percent: 10 });
  await openPage(page, `${own.url}/terms`);
  const cookies = await context.cookies();
  expect(cookies).toEqual([
    expect.objectContaining({
      name: ROLLOUT_COOKIE,
      value: expect.stringMatching(/^[^.]+\.\d{1,10}\.[\w-]{43}$/),
      path: "/",
      httpOnly: true,
      sameSite: "Lax",
    }),
  ]);
  const days = ((cookies[0]?.expires ?? 0) - Date.now() / 1000) / DAY_S;
  expect(Math.round(days)).toBe(7);

  // The cohort is drawn once.
  await openPage(page, `${own.url}/privacy`);
  expect((await context.cookies()).map(({ value }) => value)).toEqual(cookies.map(({ value }) => value));

  await operator.promote(canary);
  await context.clearCookies();
  await openPage(page, `${own.url}/terms`);
  expect(await context.cookies()).toEqual([]);
});

test("With an HTTPS origin the browser keeps the cookie for this host only", async ({ page, context, operate }) => {
  // Browsers treat loopback like HTTPS.
  const { own, operator } = await operate({ site: { origin: "https://site.example" } });
  const { name, version } = await publishAltered(operator.access, path.join(ROOT, "mfe-legal"), (_, text) => text);
  await operator.deploy({ [name]: version }, { percent: 10 });
  await page.goto(`${own.url}/terms`);
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ name: `__Host-${ROLLOUT_COOKIE}`, secure: true, path: "/" });
  await page.goto(`${own.url}/privacy`);
  expect((await context.cookies()).map(({ value }) => value)).toEqual([cookie?.value]);
});
