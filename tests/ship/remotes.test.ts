// Modules that a section exposes, in another section and in a host that is not Colonnade. The other section's container is built
// by the plugin of @module-federation/enhanced.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { readRelease, RELEASE_FOLDER } from "@colonnade/cli";
import type { Page } from "@playwright/test";
import webpack from "webpack";

import { expectErrorsAbout } from "../support/browser-errors";
import { waitForHydration } from "../support/hydration";
import { expect, test } from "../support/own-site";
import { expectScreen, follow } from "../support/screens";
import { sectionCommand, writeSection, type SectionFiles } from "../support/section-command";

const PACKAGE = JSON.stringify({ version: "1.0.0", private: true, type: "module" });
const head = (name: string): string =>
  `head: () => ({ title: "${name}", description: "${name}", canonical: "/${name}" }),`;

const CATALOG: SectionFiles = {
  "package.json": PACKAGE,
  "section.config.js": `
import { defineConfig } from "@colonnade/cli";
export default defineConfig({
  name: "catalog",
  entry: "./src/section.ts",
  exposes: { "./PriceTag": "./src/PriceTag.tsx", "./prices": "./src/prices.ts", "./Broken": "./src/Broken.tsx" },
});`,
  "src/section.ts": `
import { defineSection } from "@colonnade/kit";
export default defineSection({ name: "catalog", contract: 1, pages: { "/catalog": () => import("./page") } });`,
  "src/page.tsx": `
import { definePage } from "@colonnade/kit";
export const page = definePage({
  data: () => undefined,
  ${head("catalog")}
  Component: () => <h1>Catalog</h1>,
});`,
  "src/prices.ts": "export const prices = { tea: 3 };",
  "src/tag.module.css": ".tag { color: rgb(1, 2, 3); }",
  "src/plain.css": "b { letter-spacing: 2px; }",
  "src/PriceTag.tsx": `
import { useState } from "react";
import "./plain.css";
import { prices } from "./prices";
import css from "./tag.module.css";
export default function PriceTag({ product }: { readonly product: "tea" }) {
  const [count, setCount] = useState(1);
  return <b className={css.tag} onClick={() => setCount(count + 1)}>{count * prices[product]} dollars</b>;
}`,
  "src/Broken.tsx": `export default function Broken(): never { throw new Error("a broken tag"); }`,
};

const SHOP: SectionFiles = {
  "package.json": PACKAGE,
  "section.config.js": `
import { defineConfig } from "@colonnade/cli";
export default defineConfig({ name: "shop", entry: "./src/section.ts", federation: "enhanced" });`,
  "src/section.ts": `
import { defineSection } from "@colonnade/kit";
export default defineSection({ name: "shop", contract: 1, pages: { "/shop": () => import("./page") } });`,
  "src/page.tsx": `
import { definePage, Link } from "@colonnade/kit";
import { Remote, useLoadRemote } from "@colonnade/kit/remotes";
import { useState } from "react";
function Total() {
  const loadRemote = useLoadRemote();
  const [total, setTotal] = useState("");
  const add = async () => {
    const { prices } = await loadRemote("catalog/prices");
    setTotal("Total " + String((prices as { tea: number }).tea));
  };
  return <button onClick={() => void add()}>{total || "Add up"}</button>;
}
export const page = definePage({
  data: () => undefined,
  ${head("shop")}
  Component: () => (
    <>
      <h1>Shop</h1>
      <p>One tea is <Remote from="catalog" module="PriceTag" product="tea" fallback={<i>in the catalog</i>} />.</p>
      <p>Milk <Remote from="catalog" module="Milk" fallback={<i>is sold out</i>} />.</p>
      <p>Sugar <Remote from="sweets" module="Sugar" fallback={<i>is not for sale</i>} />.</p>
      <p><Remote from="catalog" module="Broken" fallback={<i>Honey has no price</i>} /></p>
      <Total />
      <Link to="/catalog">Catalog</Link>
    </>
  ),
});`,
};

/** The names of the remotes of the first instance that the Module Federation DevTools see, and of the modules in their graph. */
function federationOf(page: Page): Promise<{ remotes: string[]; modules: string[] }> {
  return page.evaluate(() => {
    const { __INSTANCES__, moduleInfo } = (globalThis as never as { __FEDERATION__: Federation }).__FEDERATION__;
    interface Federation {
      readonly __INSTANCES__: readonly { options: { remotes: readonly { name: string }[] } }[];
      readonly moduleInfo: object;
    }
    return {
      remotes: __INSTANCES__[0]?.options.remotes.map(({ name }) => name) ?? [],
      modules: Object.keys(moduleInfo).map((key) => key.replace(/:.*/, "")),
    };
  });
}

/** Bundles a page of another company, which is a host of Module Federation. */
async function bundleHost(folder: string, manifest: string): Promise<string> {
  const entry = path.join(folder, "host.js");
  await writeFile(
    entry,
    `
import { createInstance } from "@module-federation/enhanced/runtime";
import * as React from "react";
import * as ReactDom from "react-dom";
import { createRoot } from "react-dom/client";
const shared = (lib, version) => ({ version, lib: () => lib, shareConfig: { singleton: true, requiredVersion: false } });
const host = createInstance({
  name: "other",
  remotes: [{ name: "products", entry: ${JSON.stringify(manifest)} }],
  shared: { react: shared(React, React.version), "react-dom": shared(ReactDom, React.version) },
});
host.loadRemote("products/PriceTag").then(({ default: PriceTag }) => {
  createRoot(document.body.appendChild(document.createElement("div"))).render(React.createElement(PriceTag, { product: "tea" }));
});`,
  );
  const compiler = webpack({
    mode: "none",
    optimization: { nodeEnv: "production" },
    entry,
    context: folder,
    output: { path: folder, filename: "bundle.js" },
  });
  await new Promise<void>((resolve, reject) => {
    compiler.run((error, stats) => {
      if (error ?? stats?.hasErrors()) reject(error ?? new Error(stats?.toString("errors-only")));
      else resolve();
    });
  });
  return readFile(path.join(folder, "bundle.js"), "utf8");
}

test("A section shows modules of another, and so does a host of another company", async ({
  page,
  browser,
  browserErrors,
  startOwnSite,
  folder,
}) => {
  const own = await startOwnSite();
  const section = sectionCommand(own.access);
  const catalog = await writeSection(folder, "catalog", CATALOG);
  const shop = await writeSection(folder, "shop", SHOP);
  for (const target of [catalog, shop])
    for (const command of ["build", "publish", "deploy"]) await section(target, command);
  const { version, container } = await readRelease(path.join(catalog, RELEASE_FOLDER));
  // Its first view needs the runtime; that of the catalog does not.
  expect((await readRelease(path.join(shop, RELEASE_FOLDER))).needsFederationRuntime).toBe(true);

  await test.step("The server renders the fallbacks", async () => {
    const html = await (await page.request.get(`${own.url}/shop`)).text();
    for (const fallback of ["in the catalog", "is sold out", "Honey has no price"])
      expect(html).toContain(`<i>${fallback}</i>`);
    expect(html).not.toContain(`/assets/catalog/`);
  });

  await test.step("A module appears with its styles, which apply to nothing else", async () => {
    const warnings: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "warning") warnings.push(message.text());
    });
    const entries: string[] = [];
    const remotes: string[] = [];
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (/catalog.*\/entry\./.test(pathname)) entries.push(pathname);
      if (pathname.startsWith("/_remotes/")) remotes.push(search);
    });
    await page.goto(`${own.url}/shop`);
    await waitForHydration(page);
    const tag = page.getByText("3 dollars");
    await expect(tag).toHaveCSS("color", "rgb(1, 2, 3)");
    await expect(tag).toHaveCSS("letter-spacing", "2px");
    // It has the shell's React, and fits into its line.
    await tag.click();
    await expect(page.getByText("One tea is 6 dollars.")).toBeVisible();
    await page.getByRole("button", { name: "Add up" }).click();
    await expect(page.getByRole("button", { name: "Total 3" })).toBeVisible();
    for (const fallback of ["is sold out", "is not for sale", "Honey has no price"])
      await expect(page.getByText(fallback)).toBeVisible();
    await expect.poll(() => warnings.filter((text) => text.includes("[shell] the remote")).length).toBe(3);
    await expect
      .poll(() => federationOf(page))
      .toEqual({
        remotes: expect.arrayContaining(["catalog", "directory", "legal", "shop", "signup"]),
        modules: expect.arrayContaining(["shell", "catalog", "directory", "legal", "shop", "signup"]),
      });
    await follow(page, "/catalog");
    await expectScreen(page, "Catalog");
    expect(entries.length).toBe(1);
    // The list of sections, and what the modules of one need that are shown; and the dialog that the page can open.
    await expect.poll(() => remotes.toSorted()).toEqual(["", "?section=catalog", "?section=signup"]);
    expectErrorsAbout(browserErrors, "a broken tag");
  });

  await test.step("A host of Module Federation loads the module by its manifest", async () => {
    const bundle = await bundleHost(folder, `/assets/catalog/${version}/mf-manifest.json`);
    const other = await browser.newPage();
    await other.route("**/other", (route) =>
      route.fulfill({ contentType: "text/html", body: '<!doctype html><body><script src="/other.js"></script>' }),
    );
    await other.route("**/other.js", (route) => route.fulfill({ contentType: "text/javascript", body: bundle }));
    await other.goto(`${own.url}/other`);
    const tag = other.getByText("3 dollars");
    await expect(tag).toHaveCSS("color", "rgb(1, 2, 3)");
    expect(await other.evaluate((name) => name in globalThis, container ?? "")).toBe(true);
    await other.close();
  });
});
