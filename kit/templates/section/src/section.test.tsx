import { isNotFound } from "@colonnade/kit";
import { renderPage } from "@colonnade/kit/testing";
import { cleanup } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import section from "./section";

afterEach(cleanup);

test("the home page sets its heading, title and canonical path", async () => {
  const page = await renderPage(section, "/section-example", { site: { brand: "Example" } });
  if (isNotFound(page)) throw new Error(page.heading);
  expect(page.getByRole("heading", { level: 1 }).textContent).toBe("Section title");
  expect(page.head.title).toBe("Section title - Example");
  expect(page.head.canonical).toBe("/section-example");
});

test("the home page links to the front page", async () => {
  const page = await renderPage(section, "/section-example");
  if (isNotFound(page)) throw new Error(page.heading);
  expect(page.getByRole("link").getAttribute("href")).toBe("/");
});
