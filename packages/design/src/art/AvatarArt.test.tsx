import { brotliCompressSync } from "node:zlib";

import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";

import { AvatarArt } from "./AvatarArt.js";
import { DuskBand } from "./DuskBand.js";
import { TempleArt } from "./TempleArt.js";

const draw = (seed: string, label?: string): string =>
  renderToStaticMarkup(<AvatarArt seed={seed} {...(label !== undefined && { label })} />);

test("the seed determines the picture", () => {
  const seeds = ["", "Ada", "ada", "Zoë", "9001", "9002", "名前", "a".repeat(500)];
  const pictures = seeds.map((seed) => draw(seed));
  expect(seeds.map((seed) => draw(seed))).toEqual(pictures);
  expect(new Set(pictures).size).toBe(seeds.length);
});

test("every color is used", () => {
  const seen = new Set(
    Array.from({ length: 100 }, (_, seed) => /fill="(light-dark\(.+?\))"/.exec(draw(String(seed)))?.[1]),
  );
  expect(seen.size).toBe(6);
  expect(seen).not.toContain(undefined);
});

test("a picture is decorative unless it has a label", () => {
  expect(draw("Ada")).toMatch(/^<svg [^>]*aria-hidden="true"/);
  expect(draw("Ada", "Pattern of Ada")).toMatch(/^<svg [^>]*role="img" aria-label="Pattern of Ada"/);
});

test("a picture consists of shapes without style attributes", () => {
  expect(draw("Ada")).not.toMatch(/style=|<(?!\/?(svg|rect|circle|path)\b)|NaN|undefined/);
});

test("temples on one page have gradients of their own", () => {
  const page = renderToStaticMarkup([<TempleArt key="first" />, <TempleArt key="second" />]);
  const ids = [...page.matchAll(/ id="(.+?)"/g)].map(([, id]) => id);
  expect(ids).toHaveLength(8);
  expect(new Set(ids).size).toBe(8);
  const used = [...page.matchAll(/url\(#(.+?)\)/g)].map(([, id]) => id);
  expect(new Set(used)).toEqual(new Set(ids));
});

test("the seed determines the band above a heading, which is decorative and small", () => {
  const bands = ["California", "Ohio", "safety-guide"].map((seed) => renderToStaticMarkup(<DuskBand seed={seed} />));
  expect(renderToStaticMarkup(<DuskBand seed="California" />)).toBe(bands[0]);
  expect(new Set(bands).size).toBe(3);
  for (const band of bands) {
    expect(band).toMatch(/^<svg [^>]*aria-hidden="true"/);
    expect(band).not.toMatch(/style=|NaN|undefined/);
    expect(brotliCompressSync(band).length).toBeLessThanOrEqual(450);
  }
});
