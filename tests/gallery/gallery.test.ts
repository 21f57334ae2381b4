// The components of the design system.
import { expect, type Page } from "@playwright/test";

import { expectAccessibleInAllAppearances } from "../support/appearances";
import { test } from "../support/gallery";
import { boxOf } from "../support/layout";
import { COMPONENTS } from "./components";

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

test("Components are accessible, large enough, and keep contrast and edges", async ({ gallery }) => {
  await test.step("Every component is shown", async () => {
    const names = await gallery
      .getByRole("heading", { level: 2 })
      .and(gallery.locator(".specimens > h2"))
      .allTextContents();
    expect(names.sort()).toEqual(COMPONENTS);
  });

  await test.step("Controls are at least 44 px high and 24 px wide", async () => {
    const targets = gallery.locator(".button, .dialog-close, summary, .field input, .breadcrumbs a");
    const small = await targets.evaluateAll((elements) =>
      elements
        .map((element) => ({ element, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.height < 44 || box.width < 24)
        .map(({ element }) => element.outerHTML),
    );
    expect(small).toEqual([]);
    expect(await targets.count()).toBeGreaterThan(5);
  });

  await test.step("A linked card is a link everywhere", async () => {
    const card = gallery.locator("#card .card.linked").first();
    const { width, height } = await boxOf(card);
    await card.click({ position: { x: width - 12, y: height - 12 } });
    await expect(gallery).toHaveURL(/#card$/);
  });

  await test.step("Text has a contrast of at least 4.5:1", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await gallery.emulateMedia({ colorScheme });
      for (const pair of TEXT_PAIRS)
        expect(await contrastOf(gallery, pair), `${colorScheme}: ${pair.join(" on ")}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  await test.step("axe finds no violations", () => expectAccessibleInAllAppearances(gallery));

  await test.step("Boxes keep an edge in forced colors", async () => {
    await gallery.emulateMedia({ forcedColors: "active", colorScheme: "light" });
    const boxes = gallery.locator(".button, .card, .badge, .notice, .dialog, .field input");
    const bare = await boxes.evaluateAll((elements) =>
      elements
        .filter((element) => {
          const { borderTopWidth, borderTopStyle, borderTopColor, backgroundColor } = getComputedStyle(element);
          return borderTopStyle !== "solid" || parseFloat(borderTopWidth) < 1 || borderTopColor === backgroundColor;
        })
        .map((element) => element.outerHTML),
    );
    expect(bare).toEqual([]);
    await gallery.emulateMedia({ forcedColors: "none" });
  });

  await test.step("Reduced motion stops all animations", async () => {
    const running = () => gallery.evaluate(() => document.getAnimations().length);
    await expect.poll(running).toBe(0);
    await gallery.emulateMedia({ reducedMotion: "no-preference" });
    await expect.poll(running).toBeGreaterThan(0);
  });
});
