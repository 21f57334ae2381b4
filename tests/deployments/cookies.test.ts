import path from "node:path";

import { publishAltered } from "../support/releases";
import { ROOT } from "../support/repository.mjs";
import { visit } from "../support/signup";
import { expect, test } from "./operator";

const DAY_S = 24 * 60 * 60;

test("a rollout sets its cookie and no other, with a random number and the rollout's own", async ({
  page,
  context,
  operate,
}) => {
  const { own, operator } = await operate();
  await visit(page, `${own.url}/terms`);
  expect(await context.cookies()).toEqual([]);

  const { name, version } = await publishAltered(operator.access, path.join(ROOT, "mfe-legal"), (_, text) => text);
  const { number: candidate } = await operator.deploy({ [name]: version }, { percent: 10 });
  await visit(page, `${own.url}/terms`);
  const cookies = await context.cookies();
  expect(cookies).toEqual([
    expect.objectContaining({
      name: "colonnade-rollout",
      value: expect.stringMatching(/^[^.]+\.\d{1,10}$/),
      path: "/",
      httpOnly: true,
      sameSite: "Lax",
    }),
  ]);
  const days = ((cookies[0]?.expires ?? 0) - Date.now() / 1000) / DAY_S;
  expect(Math.round(days)).toBe(7);

  // The draw is made once.
  await visit(page, `${own.url}/privacy`);
  expect((await context.cookies()).map(({ value }) => value)).toEqual(cookies.map(({ value }) => value));

  await operator.promote(candidate);
  await context.clearCookies();
  await visit(page, `${own.url}/terms`);
  expect(await context.cookies()).toEqual([]);
});
