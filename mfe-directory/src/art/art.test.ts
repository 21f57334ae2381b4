import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

import { HUE, pictures } from "../../scripts/make-art.mjs";
import { ART } from ".";

const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".svg"));

it("picture files match the names in ART", () => {
  expect(files.sort()).toEqual(Object.keys(ART).sort());
});

it("the pictures are those that their script writes", async () => {
  const read = (file: string): string => readFileSync(path.join(import.meta.dirname, file), "utf8");
  expect(new Map(files.map((file) => [file, read(file)]))).toEqual(await pictures());
});

describe.each(files)("the picture %s", (file) => {
  const svg = readFileSync(path.join(import.meta.dirname, file), "utf8");

  it("is 4:5 and contains the text SAMPLE", () => {
    expect(svg).toContain('viewBox="0 0 320 400"');
    expect(svg).toMatch(/<text [^>]*>SAMPLE<\/text>/);
  });

  it("has hues near the accent's", () => {
    const colors = svg.match(/#[\da-f]{6}/g) ?? [];
    expect(colors.length).toBeGreaterThan(5);
    for (const color of colors) {
      const [red = 0, green = 0, blue = 0] = color.match(/[\da-f]{2}/g)?.map((part) => parseInt(part, 16)) ?? [];
      // The hue of these colors, which have more red than green: https://www.w3.org/TR/css-color-4/#rgb-to-hsl
      const range = Math.max(red, blue) - Math.min(green, blue);
      const hue = red >= blue ? 360 + (60 * (green - blue)) / range : 240 + (60 * (red - green)) / range;
      expect(Math.abs(hue - HUE), color).toBeLessThan(42);
    }
  });

  it("contains no image, script, style or URL", () => {
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
      /<(image|script|style|foreignObject|a)\b|href|https?:/,
    );
  });
});

it("all pictures differ", () => {
  expect(new Set(files.map((file) => readFileSync(path.join(import.meta.dirname, file), "utf8"))).size).toBe(
    files.length,
  );
});
