// Extension points between sections of different teams: the bundled directory opens one that a new section fills, and the new
// section opens one for a third.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import type { Browser, Locator, Page } from "@playwright/test";

import { expectErrorsAbout } from "../support/browser-errors";
import { holdRequests, waitForEventHandlers, waitForHydration } from "../support/hydration";
import { expect, test } from "../support/own-site";
import { installPacked } from "../support/packed";
import { expectScreen } from "../support/screens";
import { writeSection, type SectionFiles } from "../support/section-command";

const PACKAGE = JSON.stringify({ version: "1.0.0", private: true, type: "module" });
const config = (name: string): string =>
  `import { defineConfig } from "@colonnade/cli"; export default defineConfig({ name: "${name}", entry: "./src/section.ts" });`;

const KITES: SectionFiles = {
  "package.json": PACKAGE,
  "section.config.js": config("kites"),
  "src/section.ts": `
import { defineSection } from "@colonnade/kit";
export default defineSection({
  name: "kites",
  contract: 1,
  pages: { "/kites": () => import("./page") },
  extensions: { "directory/city-aside@1": () => import("./aside") },
});`,
  "src/points.ts": `
import { defineExtensionPoint } from "@colonnade/kit/extensions";
export const below = defineExtensionPoint<{ wind: number }>({ id: "kites/below", version: 1, max: 2, examples: [{ wind: 3 }] });`,
  "src/page.tsx": `
import { definePage } from "@colonnade/kit";
import { ExtensionPoint } from "@colonnade/kit/extensions";
import { below } from "./points";
export const page = definePage({
  extensionPoints: [below],
  data: () => undefined,
  head: () => ({ title: "Kites", description: "Kites", canonical: "/kites" }),
  Component: () => <><h1>Kites</h1><ExtensionPoint point={below} props={{ wind: 5 }} empty={<p>No flags</p>} /></>,
});`,
  "src/aside.module.css": ".aside { color: rgb(1, 2, 3); }",
  "src/aside.tsx": `
import { Link } from "@colonnade/kit";
import { defineExtension } from "@colonnade/kit/extensions";
import { useId, useState } from "react";
import css from "./aside.module.css";
function Aside({ props, data }: { readonly props: { city: string }; readonly data: string }) {
  const id = useId();
  const [count, setCount] = useState(0);
  return (
    <aside className={css.aside}>
      <label htmlFor={id}>Kites over {props.city}, {data}</label>
      <input id={id} />
      <button onClick={() => setCount(count + 1)}>{count} kites</button>
      <Link to="/kites">All kites</Link>
      <Link to="/state/Alabama">Kites of Alabama</Link>
      <p>{String([1].map(() => "Globals:"))} {JSON.stringify(1)} {typeof URL}</p>
    </aside>
  );
}
export const extension = defineExtension({
  order: 5,
  data: ({ site }: { props: { city: string }, site: { brand: string } }) => site.brand,
  Component: Aside,
});`,
};

const FLAGS: SectionFiles = {
  "package.json": PACKAGE,
  "section.config.js": config("flags"),
  "src/section.ts": `
import { defineSection } from "@colonnade/kit";
export default defineSection({
  name: "flags",
  contract: 1,
  pages: {},
  extensions: {
    "kites/below@1": () => import("./below"),
    "directory/city-aside@1": () => import("./broken"),
  },
});`,
  "src/below.tsx": `
import { defineExtension } from "@colonnade/kit/extensions";
export const extension = defineExtension({
  data: ({ props }: { props: { wind: number } }) => {
    if (props.wind < 0) throw new Error("no such wind");
    return "flags";
  },
  Component: ({ props, data }: { props: { wind: number }; data: string }) => <p>{props.wind} {data}</p>,
});`,
  "src/broken.tsx": `
import { defineExtension } from "@colonnade/kit/extensions";
import { useEffect } from "react";
function Broken() {
  useEffect(() => {
    throw new Error("a torn flag");
  }, []);
  return <p>A flag from the server</p>;
}
export const extension = defineExtension({ order: 1, data: () => "", Component: Broken });`,
};

/**
 * An extension that does what its API tells it for a city; that of Irving is dead. Its deploy tries it with Austin and Nome
 * alone.
 */
const STORMS: SectionFiles = {
  "package.json": PACKAGE,
  "section.config.js": config("storms"),
  "src/section.ts": `
import { defineSection } from "@colonnade/kit";
export default defineSection({
  name: "storms",
  contract: 1,
  pages: {},
  extensions: { "directory/city-aside@1": () => import("./aside") },
});`,
  "src/aside.tsx": `
import { defineExtension } from "@colonnade/kit/extensions";
const attacks: Record<string, () => void> = {
  throws: () => { throw new Error("a storm"); },
  loops: () => { for (;;); },
  allocates: () => { for (const list: unknown[] = []; ; ) list.push(new Array(1000).fill(1.5)); },
  changesGlobals: () => {
    Array.prototype.map = JSON.stringify = () => "changed" as never;
    Object.assign(globalThis, { Promise: null, URL: null });
  },
};
export const extension = defineExtension({
  order: 1,
  queries: ({ props: { city } }: { props: { city: string } }) => ({
    warning: "/api/" + (city === "Irving" ? "dead" : "storms") + "/" + encodeURIComponent(city),
  }),
  data: ({ results: { warning } }) => {
    if (!warning.ok) return "no warnings, " + warning.status;
    attacks[String(warning.value)]?.();
    return String(warning.value);
  },
  Component: ({ data }) => <p>Storms: {data} {JSON.stringify(1)} {typeof URL}</p>,
});`,
};

/**
 * What the API tells for a city of Texas, and the extension then shows, if anything. Those that fail come last: after some
 * failures, the extension is not tried again.
 */
const WARNINGS: readonly (readonly [city: string, warning: string, shown?: string])[] = [
  ["Austin", "calm", "Storms: calm 1 function"],
  ["Plano", "404", "Storms: no warnings, 404"],
  ["Waco", "hangs", "Storms: no warnings, 504"],
  ["Irving", "refuses the connection", "Storms: no warnings, 502"],
  ["Dallas", "changesGlobals", "Storms: changesGlobals changed object"],
  ["Tyler", "calm", "Storms: calm 1 function"],
  ["Laredo", "throws"],
  ["Lubbock", "allocates"],
  ["Houston", "loops"],
];

function startStormsApi(): Server {
  const server = createServer(({ url = "" }, response) => {
    const city = url.slice(1);
    const [, warning = "calm"] = WARNINGS.find(([name]) => name === city) ?? [];
    if (warning === "hangs") return;
    response.writeHead(warning === "404" ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(warning));
  });
  return server.listen(0, "127.0.0.1");
}

/** Expects that documents of cities have the page and all other extensions, whatever this one does on the server. */
async function expectWithstood(url: string): Promise<void> {
  for (const [city, warning, shown] of WARNINGS) {
    const html = await (await fetch(`${url}/city/Texas/${city}`)).text();
    const documented = html.replaceAll("<!-- -->", "");
    for (const text of ["<h1", `Kites over ${city}`, "Globals: 1 function", "Safety guide", "A flag from the server"])
      expect(documented, warning).toContain(text);
    if (shown !== undefined) for (const text of [shown, "/assets/storms/"]) expect(documented, warning).toContain(text);
    else expect(html, warning).not.toContain('data-extension="storms"');
  }
}

/** Expects that a link of an extension whose code is not there yet is the shell's. */
async function expectShellsLink(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: "domcontentloaded" });
  await waitForEventHandlers(page);
  const link = page.getByRole("link", { name: "Kites of Alabama" });
  expect(await isReacts(link)).toBe(false);
  await page.evaluate(() => Object.assign(globalThis, { isFirstDocument: true }));
  await link.click();
  await expectScreen(page, "Escorts in Alabama");
  expect(await page.evaluate(() => "isFirstDocument" in globalThis)).toBe(true);
}

/** Expects that an extension that is switched off is gone from a page, which is complete, and returns when it is switched on. */
async function expectSwitched(
  page: Page,
  url: string,
  section: (state: "on" | "off") => Promise<string>,
): Promise<void> {
  for (const state of ["off", "on"] as const) {
    expect(await section(state)).toBe(`the extension of kites for directory/city-aside is ${state}\n`);
    await page.goto(url);
    await expectScreen(page, "Austin, Texas");
    await expect.poll(() => isReacts(page.getByText("Storms: calm"))).toBe(true);
    await expect(page.getByRole("main").getByRole("link", { name: "Safety guide" })).toBeVisible();
    await expect(page.getByLabel("Kites over Austin")).toBeVisible({ visible: state === "on" });
  }
}

/** Expects that an extension without its script keeps its HTML, and others work. */
async function expectWithoutScript(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage();
  await page.route(/\/assets\/kites\/.*\.js$/, (route) => route.fulfill({ status: 404 }));
  const failed = page.waitForEvent("console", (message) => message.text().includes('kites" failed to load'));
  await page.goto(url);
  await failed;
  await expect(page.getByLabel("Kites over Austin")).toBeVisible();
  await expect.poll(() => isReacts(page.getByText("Storms: calm"))).toBe(true);
  await page.getByRole("main").getByRole("link", { name: "Safety guide" }).click();
  await expect(page).toHaveURL(/safety-guide$/);
  await page.close();
}

/** Whether React has hydrated an element. */
function isReacts(element: Locator): Promise<boolean> {
  return element.evaluate((node) => Object.keys(node).some((name) => name.startsWith("__reactFiber$")));
}

test("Sections extend each other's pages, in one document", async ({
  page,
  browser,
  browserErrors,
  startOwnSite,
  folder,
}) => {
  const api = startStormsApi();
  await once(api, "listening");
  const { port } = api.address() as AddressInfo;
  const urls = [`http://127.0.0.1:${String(port)}`];
  const dead = { path: "/api/dead", urls: ["http://127.0.0.1:1"] };
  const own = await startOwnSite({ config: { upstreams: { storms: { path: "/api/storms", urls }, dead } } });
  const section = await installPacked(folder, own.access);
  for (const [name, files] of Object.entries({ kites: KITES, flags: FLAGS, storms: STORMS })) {
    const target = await writeSection(folder, name, files);
    for (const command of ["build", "publish", "deploy"]) await section(target, command);
  }
  const city = `${own.url}/city/Texas/Austin`;

  await test.step("Without JavaScript, all of it is there, in order", async () => {
    const other = await browser.newPage({ javaScriptEnabled: false });
    await other.goto(city);
    const place = other.locator("[data-extension-point='directory/city-aside@1']");
    await expect(place.locator("> *")).toHaveCount(4);
    expect(
      await place.locator("> *").evaluateAll((all) => all.map((one) => one.getAttribute("data-extension"))),
    ).toEqual(["flags", "storms", "kites", "articles"]);
    await expect(place.getByText("Kites over Austin")).toHaveCSS("color", "rgb(1, 2, 3)");
    await place.getByRole("link", { name: "All kites" }).click();
    await expect(other.getByText("5 flags")).toBeVisible();
    await expect(other.getByText("No flags")).toBeHidden();
    await other.close();
  });

  await test.step("Before its code comes, an extension has working links and keeps what is typed", async () => {
    const release = await holdRequests(page, /\/assets\/kites\/.*\.js$/);
    await expectShellsLink(page, city);
    await page.goto(city, { waitUntil: "domcontentloaded" });
    await expectScreen(page, "Austin, Texas");
    const input = page.getByLabel("Kites over Austin, Colonnade Directory");
    await input.fill("red");
    release();
    const button = page.getByRole("button", { name: "0 kites" });
    await expect.poll(() => isReacts(button)).toBe(true);
    await button.click();
    await expect(page.getByRole("button", { name: "1 kites" })).toBeVisible();
    await expect(input).toHaveValue("red");
    await expect(page.getByText("A flag from the server")).toBeVisible();
  });

  await test.step("After a navigation in the browser, the extensions of the next page are loaded", async () => {
    let documents = 0;
    page.on("request", (request) => {
      if (request.isNavigationRequest()) documents += 1;
    });
    await page.getByRole("link", { name: "All kites" }).click();
    await expectScreen(page, "Kites");
    await expect(page.getByText("5 flags")).toBeVisible();
    await page.goBack();
    await expect(page.getByRole("button", { name: "0 kites" })).toBeVisible();
    await waitForHydration(page);
    expect(documents).toBe(0);
    // Without the server's HTML, it shows nothing.
    await expect(page.getByText("A flag from the server")).toHaveCount(0);
    expectErrorsAbout(browserErrors, "a torn flag");
  });

  await test.step("Whatever an extension does on the server, all else is there", () => expectWithstood(own.url));

  await test.step("A check renders the live extensions with new examples of their point", async () => {
    const points = KITES["src/points.ts"]?.replace("{ wind: 3 }", "{ wind: 3 }, { wind: -1 }") ?? "";
    const target = await writeSection(folder, "kites", { ...KITES, "src/points.ts": points });
    await expect(section(target, "check")).rejects.toThrow(
      /COL173 rendering `kites\/below@1` \(extension of flags@1\.0\.0\S*\) with example 2 of kites@1\.0\.0\S*, `{"wind":-1}`, failed: no such wind/,
    );
  });

  await test.step("Switched off, an extension is gone from a complete page until it is switched on", () =>
    expectSwitched(page, city, (state) => section(folder, "extensions", state, "kites", "directory/city-aside")));

  await test.step("An extension whose script is gone keeps its HTML, and others work", () =>
    expectWithoutScript(browser, city));
  api.closeAllConnections();
  api.close();
});
