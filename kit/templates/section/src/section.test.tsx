import { isNotFound } from "@colonnade/kit";
import { renderPage } from "@colonnade/kit/testing";
import { cleanup } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import section from "./section";

afterEach(cleanup);

test("the first page has a heading, and a title and canonical path of its own", async () => {
  const page = await renderPage(section, "/section-example", { site: { brand: "Example" } });
  if (isNotFound(page)) throw new Error(page.heading);
  expect(page.getByRole("heading", { level: 1 }).textContent).toBe("Section title");
  expect(page.head.title).toBe("Section title - Example");
  expect(page.head.canonical).toBe("/section-example");
});

test("the first page leads on to the site", async () => {
  const page = await renderPage(section, "/section-example");
  if (isNotFound(page)) throw new Error(page.heading);
  expect(page.getByRole("link").getAttribute("href")).toBe("/");
});
