import { isNotFound } from "@colonnade/kit";
import { loadData, renderPage, type RenderedPage } from "@colonnade/kit/testing";
import { cleanup } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";

import section from "./section";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function open(path: string): Promise<RenderedPage> {
  const page = await renderPage(section, path);
  if (isNotFound(page)) throw new Error(page.heading);
  return page;
}

test("the form rejects the same city twice", async () => {
  const page = await open("/compare-cities");
  await userEvent.selectOptions(page.getByLabelText("Other city"), "Amsterdam");
  await userEvent.click(page.getByRole("button", { name: "Compare" }));
  expect(page.getByRole("alert").textContent).toBe("Choose two different cities.");
});

test("a comparison shows the chart and the current weather", async () => {
  const fetched = vi.fn((url: string) => Promise.resolve(Response.json({ temperature: url.length })));
  vi.stubGlobal("fetch", fetched);
  const page = await open("/compare-cities/Oslo/S%C3%A3o%20Paulo");
  expect(page.head.canonical).toBe("/compare-cities/Oslo/S%C3%A3o%20Paulo");
  expect(page.getByRole("img", { name: /Oslo and São Paulo/ })).toBeTruthy();
  expect(await page.findByText("Oslo now: 22 °C")).toBeTruthy();
  expect(fetched.mock.calls.map(([url]) => url)).toEqual([
    "/api/weather?city=Oslo",
    "/api/weather?city=S%C3%A3o+Paulo",
  ]);
});

test("a comparison without the API shows a message", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(null, { status: 404 })));
  const page = await open("/compare-cities/Oslo/Lisbon");
  expect(await page.findByText("The weather of Oslo is unavailable right now.")).toBeTruthy();
});

test.each(["/compare-cities/Oslo/Atlantis", "/compare-cities/Oslo/Oslo"])("%s is not found", async (path) => {
  expect(await loadData(section, path)).toEqual({ heading: "Cities not found" });
});
