import { describe, expect, test } from "vitest";

import { pageOf } from "./links";

function anchor(html: string): HTMLAnchorElement {
  const holder = document.createElement("div");
  holder.innerHTML = html;
  const found = holder.querySelector("a");
  if (!found) throw new Error("no anchor");
  return found;
}

describe("pageOf", () => {
  test.each([
    ['<a href="/state/New%20York">', "/state/New%20York"],
    ['<a href="/terms#contact">', "/terms"],
    ['<a href="/" target="_self">', "/"],
    ['<a href="#main">', location.pathname],
    ['<a href="/city/Texas/Austin" rel="nofollow">', "/city/Texas/Austin"],
  ])("%s is followed in the page", (html, pathname) => {
    expect(pageOf(anchor(html))?.pathname).toBe(pathname);
  });

  test.each([
    ["another origin", '<a href="https://elsewhere.example/">'],
    ["a new tab", '<a href="/terms" target="_blank">'],
    ["a download", '<a href="/terms" download>'],
    ["an e-mail address", '<a href="mailto:contact@site.example">'],
    ["a telephone number", '<a href="tel:18883737888">'],
    ["the partner redirect", '<a href="/go/example">'],
    ["an asset", '<a href="/assets/shell/1.0.0/a.svg">'],
    ["the sitemap", '<a href="/sitemap.xml">'],
  ])("%s is the browser's", (_, html) => {
    expect(pageOf(anchor(html))).toBeNull();
  });
});
