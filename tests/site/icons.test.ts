import type { APIRequestContext } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { readHead } from "../support/head";
import { ORIGIN } from "../support/routes";
import { follow } from "../support/screens";

/** Returns the content type of a PNG and its size from the header. */
async function measure(request: APIRequestContext, address: string): Promise<{ type: string; size: string }> {
  const answer = await request.get(address);
  expect(answer.status(), address).toBe(200);
  const bytes = await answer.body();
  // PNG, 11.2.1: the first chunk starts with width and height.
  expect(bytes.toString("latin1", 1, 4)).toBe("PNG");
  return {
    type: answer.headers()["content-type"] ?? "",
    size: `${String(bytes.readUInt32BE(16))}x${String(bytes.readUInt32BE(20))}`,
  };
}

test("The manifest is valid, with the brand and an icon per size", async ({ page, request }) => {
  await page.goto("/");
  const protocol = await page.context().newCDPSession(page);
  const { url, errors, data } = await protocol.send("Page.getAppManifest");
  expect(new URL(url).pathname).toBe("/manifest.webmanifest");
  expect(errors).toEqual([]);
  const manifest = JSON.parse(data ?? "") as {
    name: string;
    icons: { src: string; sizes: string; type: string; purpose: string }[];
  };
  expect(manifest.name).toBe("Colonnade Directory");
  expect(manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
    "192x192 any",
    "512x512 maskable",
  ]);
  for (const { src, sizes, type } of manifest.icons) expect(await measure(request, src)).toEqual({ type, size: sizes });
});

test("Documents have an Apple touch icon", async ({ page, request }) => {
  await page.goto("/terms");
  const icon = page.locator("link[rel=apple-touch-icon]");
  await expect(icon).toHaveAttribute("sizes", "180x180");
  const href = (await icon.getAttribute("href")) ?? "";
  expect(await measure(request, href)).toEqual({ type: "image/png", size: "180x180" });
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`The theme color is the header's, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await page.goto("/");
    const themeColors = await page.evaluate(() => {
      const tags = [...document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")];
      return tags.filter(({ media }) => matchMedia(media).matches).map(({ content }) => content);
    });
    const headerColor = await page.getByRole("banner").evaluate((header) => {
      const parts = getComputedStyle(header).backgroundColor.match(/\d+/g) ?? [];
      return `#${parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;
    });
    expect(themeColors).toEqual([headerColor]);
  });
}

test("Documents and client-side navigation set social images", async ({ page, request }) => {
  await page.goto("/about-escort-babylon");
  const { social } = await readHead(page);
  const { image = "", "image:width": width, "image:height": height, "image:alt": alt } = social;
  expect(image).toMatch(new RegExp(`^${ORIGIN}/assets/shell/`));
  expect(await measure(request, new URL(image ?? "").pathname)).toEqual({ type: "image/png", size: "1200x630" });
  expect([width, height]).toEqual(["1200", "630"]);
  expect(alt).toMatch(/\w/);
  const card = page.locator("meta[name='twitter:card']");
  await expect(card).toHaveAttribute("content", "summary_large_image");

  await follow(page, "/signup");
  await expect(card).toHaveCount(0);
  expect((await readHead(page)).social).toEqual({});
  await follow(page, "/about-escort-babylon");
  await expect(card).toHaveCount(1);
  expect((await readHead(page)).social).toEqual(social);
});
