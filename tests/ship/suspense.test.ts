// A section's own Suspense boundaries in a server-rendered page.
import { writeFile } from "node:fs/promises";
import path from "node:path";

import { waitForHydration } from "../support/hydration";
import { expect, sectionCommand, test } from "../support/section-command";

const PAGE = `
import { definePage } from "@colonnade/kit";
import { lazy, Suspense, use } from "react";

const Chart = lazy(() => import("./chart"));
const inBrowser = typeof document === "object";
const clock = inBrowser ? Promise.resolve("ticking") : new Promise<string>(() => undefined);

function Clock() {
  return <p>The clock is {use(clock)}.</p>;
}

export const page = definePage({
  data: () => undefined,
  paths: () => ["/hello"],
  head: () => ({ title: "Hello", description: "Two Suspense boundaries", canonical: "/hello" }),
  Component: () => (
    <div className="page">
      <h1>Hello</h1>
      <Suspense fallback={<p>Loading the chart</p>}><Chart /></Suspense>
      <Suspense fallback={<p>Loading the clock</p>}><Clock /></Suspense>
    </div>
  ),
});
`;

const CHART = `
import { useState } from "react";

import css from "./chart.module.css";

export default function Chart() {
  const [count, setCount] = useState(0);
  return <button className={css.chart} onClick={() => setCount(count + 1)}>{"Chart, clicked " + count}</button>;
}
`;

test("Lazy components are in the server HTML and hydrate", async ({ page, browser, startOwnSite, folder }) => {
  const own = await startOwnSite();
  const section = sectionCommand(own.access);
  await section(folder, "new", "hello");
  const hello = path.join(folder, "hello");
  const pages = path.join(hello, "src/pages");
  await writeFile(path.join(pages, "home.tsx"), PAGE);
  await writeFile(path.join(pages, "chart.tsx"), CHART);
  await writeFile(path.join(pages, "chart.module.css"), ".chart { color: rgb(1, 2, 3); }\n");
  for (const command of ["build", "publish", "deploy"]) await section(hello, command);

  await test.step("without JavaScript", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${own.url}/hello`);
    await expect(plain.getByRole("button", { name: "Chart, clicked 0" })).toHaveCSS("color", "rgb(1, 2, 3)");
    await expect(plain.getByText("Loading the clock")).toBeVisible();
    await context.close();
  });

  await page.goto(`${own.url}/hello`);
  await waitForHydration(page);
  await page.getByRole("button", { name: "Chart, clicked 0" }).click();
  await expect(page.getByRole("button", { name: "Chart, clicked 1" })).toBeVisible();
  await expect(page.getByText("The clock is ticking.")).toBeVisible();
  await expect(page.getByText("Loading the clock")).toHaveCount(0);
});
