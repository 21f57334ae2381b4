import type { APIRequestContext } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { readHead } from "../support/head";
import { ORIGIN } from "../support/routes";

interface Fetched {
  readonly type: string;
  readonly bytes: Buffer;
}

async function fetchFile(request: APIRequestContext, address: string): Promise<Fetched> {
  const answer = await request.get(address);
  expect(answer.status(), address).toBe(200);
  return { type: answer.headers()["content-type"] ?? "", bytes: await answer.body() };
}

/** Returns the size of a PNG from its header. */
function sizeOf(png: Buffer): string {
  // PNG, 11.2.1: the first chunk starts with width and height.
  expect(png.toString("latin1", 1, 4)).toBe("PNG");
  return `${String(png.readUInt32BE(16))}x${String(png.readUInt32BE(20))}`;
}

/** Returns the content type of a PNG and its size. */
async function measure(request: APIRequestContext, address: string): Promise<{ type: string; size: string }> {
  const { type, bytes } = await fetchFile(request, address);
  return { type, size: sizeOf(bytes) };
}

/** Returns the sizes of the PNGs in an ICO file, as its directory and their headers say. */
function sizesIn(ico: Buffer): string[] {
  expect([ico.readUInt16LE(0), ico.readUInt16LE(2)]).toEqual([0, 1]);
  return Array.from({ length: ico.readUInt16LE(4) }, (_, index) => {
    const entry = ico.subarray(6 + 16 * index, 22 + 16 * index);
    const [length, offset] = [entry.readUInt32LE(8), entry.readUInt32LE(12)];
    const size = sizeOf(ico.subarray(offset, offset + length));
    expect(`${String(entry[0])}x${String(entry[1])}`).toBe(size);
    return size;
  });
}

test("Icons have their sizes, and the color scheme applies before any stylesheet", async ({ page, request }) => {
  const response = await page.goto("/");
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
    "32x32 any",
    "192x192 any",
    "512x512 maskable",
  ]);
  for (const { src, sizes, type } of manifest.icons) expect(await measure(request, src)).toEqual({ type, size: sizes });

  // For browsers and crawlers that show no SVG icon.
  const { type, bytes } = await fetchFile(request, "/favicon.ico");
  expect(type).toBe("image/x-icon");
  expect(sizesIn(bytes)).toEqual(["16x16", "32x32", "48x48"]);
  const decoded = await page.evaluate(async () => {
    const image = new Image();
    image.src = "/favicon.ico";
    await image.decode();
    return image.naturalWidth;
  });
  expect(decoded, "width that a browser reads").toBe(48);

  const icon = page.locator("link[rel=apple-touch-icon]");
  await expect(icon).toHaveAttribute("sizes", "180x180");
  const href = (await icon.getAttribute("href")) ?? "";
  expect(await measure(request, href)).toEqual({ type: "image/png", size: "180x180" });

  const { image = "", "image:alt": alt } = (await readHead(page)).social;
  expect(image).toMatch(new RegExp(`^${ORIGIN}/assets/shell/`));
  expect(await measure(request, new URL(image ?? "").pathname)).toEqual({ type: "image/png", size: "1200x630" });
  expect(alt).toContain("Sample directory, 18+");

  const html = (await response?.text()) ?? "";
  expect(html.indexOf('<meta name="color-scheme" content="light dark">')).toBeGreaterThan(0);
  expect(html.indexOf('name="color-scheme"')).toBeLessThan(html.search(/<style|rel="stylesheet"|<script/));
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const themeColors = await page.evaluate(() => {
      const tags = [...document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")];
      return tags.filter(({ media }) => matchMedia(media).matches).map(({ content }) => content);
    });
    const headerColor = await page.getByRole("banner").evaluate((header) => {
      const parts = getComputedStyle(header).backgroundColor.match(/\d+/g) ?? [];
      return `#${parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;
    });
    expect(themeColors).toEqual([headerColor]);
  }
  await expect(page.locator("html")).toHaveCSS("background-color", "rgb(22, 19, 21)");
});
