// The components of the design system.
import { expect, type Locator, type Page } from "@playwright/test";

import { expectAccessibleInAllAppearances } from "../support/appearances";
import { test } from "../support/gallery";
import { boxOf } from "../support/layout";
import { COMPONENTS } from "./components";

test("The gallery shows every component", async ({ gallery }) => {
  const names = await gallery
    .getByRole("heading", { level: 2 })
    .and(gallery.locator(".specimens > h2"))
    .allTextContents();
  expect(names.sort()).toEqual(COMPONENTS);
});

test("axe finds no violations in any theme and width", async ({ gallery }) => {
  await expectAccessibleInAllAppearances(gallery);
});

test("Controls are at least 44 px high and 24 px wide", async ({ gallery }) => {
  const targets = gallery.locator(".button, .dialog-close, summary, .field input, .breadcrumbs a");
  for (const target of await targets.all()) {
    const { width, height } = await boxOf(target);
    expect(height, await target.innerText()).toBeGreaterThanOrEqual(44);
    expect(width).toBeGreaterThanOrEqual(24);
  }
});

test("A linked card is a link everywhere", async ({ gallery }) => {
  const card = gallery.locator("#card .card.linked").first();
  const { width, height } = await boxOf(card);
  await card.click({ position: { x: width - 12, y: height - 12 } });
  await expect(gallery).toHaveURL(/#card$/);
});

/** Returns the contrast ratio of two design colors (WCAG 2.2). */
async function contrastOf(page: Page, colors: readonly [string, string]): Promise<number> {
  return page.evaluate((names) => {
    const probe = document.body.appendChild(document.createElement("i"));
    const [one = 0, other = 0] = names.map((name) => {
      probe.style.color = `var(--color-${name})`;
      const channels =
        getComputedStyle(probe)
          .color.match(/[\d.]+/g)
          ?.map(Number) ?? [];
      const [red = NaN, green = NaN, blue = NaN] = channels.map((channel) =>
        channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    });
    probe.remove();
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  }, colors);
}

const BACKGROUNDS = ["page", "surface", "accent-soft", "notice", "danger-soft", "success-soft"];
const TEXT_PAIRS = [
  ...BACKGROUNDS.map((background) => ["text", background] as const),
  ...["page", "surface"].flatMap((background) =>
    ["muted", "accent", "accent-strong", "danger", "success"].map((text) => [text, background] as const),
  ),
  ["on-accent", "accent"],
  ["on-accent", "accent-strong"],
  ["accent", "accent-soft"],
  ["muted", "notice"],
  ["danger", "danger-soft"],
  ["success", "success-soft"],
] as const;

test("Text colors have a contrast of at least 4.5:1", async ({ gallery }) => {
  for (const colorScheme of ["light", "dark"] as const) {
    await gallery.emulateMedia({ colorScheme });
    for (const pair of TEXT_PAIRS) {
      expect(await contrastOf(gallery, pair), `${colorScheme}: ${pair.join(" on ")}`).toBeGreaterThanOrEqual(4.5);
    }
  }
});

async function hasEdge(element: Locator): Promise<boolean> {
  return element.evaluate((node) => {
    const { borderTopWidth, borderTopStyle, borderTopColor, backgroundColor } = getComputedStyle(node);
    return borderTopStyle === "solid" && parseFloat(borderTopWidth) >= 1 && borderTopColor !== backgroundColor;
  });
}

test("Boxes keep an edge in forced colors", async ({ gallery }) => {
  await gallery.emulateMedia({ forcedColors: "active" });
  for (const box of await gallery.locator(".button, .card, .badge, .notice, .dialog, .field input").all()) {
    expect(await hasEdge(box), await box.evaluate((node) => node.outerHTML)).toBe(true);
  }
});

test("Reduced motion stops all animations", async ({ gallery }) => {
  const running = () => gallery.evaluate(() => document.getAnimations().length);
  await expect.poll(running).toBe(0);
  await gallery.emulateMedia({ reducedMotion: "no-preference" });
  await expect.poll(running).toBeGreaterThan(0);
});
