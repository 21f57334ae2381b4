import { isNotFound } from "@colonnade/kit";
import { loadData, renderPage } from "@colonnade/kit/testing";
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

test("the home page links to every topic, and each links back", async () => {
  const home = await renderPage(section, "/section-example");
  if (isNotFound(home)) throw new Error(home.heading);
  const paths = home.getAllByRole("link").map((link) => link.getAttribute("href") ?? "");
  expect(paths).toEqual(["/section-example/start", "/section-example/finish"]);
  for (const path of paths) {
    cleanup();
    const page = await renderPage(section, path);
    if (isNotFound(page)) throw new Error(page.heading);
    expect(page.head.canonical).toBe(path);
    expect(page.getByRole("link").getAttribute("href")).toBe("/section-example");
  }
});

test("an unknown topic is not found", async () => {
  expect(await loadData(section, "/section-example/unknown")).toEqual({ heading: "Topic not found" });
});
