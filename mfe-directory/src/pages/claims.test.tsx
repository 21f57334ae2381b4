import { cleanup } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";

import { renderExisting, textOf } from "../testing/page";

const CLAIM = /verif|review|rating\b|rated|\d stars?\b|★|online now|available now|\bviews\b/i;

afterEach(cleanup);

it.each([
  "/state/New%20York",
  "/state/Alabama",
  "/city/Texas/Houston",
  "/city/Hawaii/%E2%80%98Ewa%20Beach",
  "/city/Texas/Houston/ad/4251",
  "/city/Texas/Houston/ad/4300",
])("%s claims nothing of its samples", async (path) => {
  const { container, head, layout } = await renderExisting(path);
  const names = [...container.querySelectorAll("[alt], [aria-label]")].flatMap(({ attributes }) =>
    [...attributes].map(({ value }) => value),
  );
  expect([textOf(container), ...names, JSON.stringify([head, layout])].filter((text) => CLAIM.test(text))).toEqual([]);
});
