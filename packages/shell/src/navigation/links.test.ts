// @vitest-environment happy-dom
import { render, cleanup } from "@testing-library/react";
import { createElement, type ReactElement } from "react";
import { MemoryRouter } from "react-router-dom";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { Views } from "../loading/view.js";
import { pageUrl, useLinks } from "./links.js";

function anchor(html: string): HTMLAnchorElement {
  const container = document.createElement("div");
  container.innerHTML = html;
  const found = container.querySelector("a");
  if (!found) throw new Error("no anchor");
  return found;
}

describe("pageUrl", () => {
  test.each([
    ['<a href="/state/New%20York">', "/state/New%20York"],
    ['<a href="/terms#contact">', "/terms"],
    ['<a href="/" target="_self">', "/"],
    ['<a href="/terms/">', "/terms"],
    ['<a href="#main">', location.pathname],
    ['<a href="/city/Texas/Austin" rel="nofollow">', "/city/Texas/Austin"],
  ])("%s is a client-side navigation", (html, pathname) => {
    expect(pageUrl(anchor(html))?.pathname).toBe(pathname);
  });

  test.each([
    ["another origin", '<a href="https://elsewhere.example/">'],
    ["a new tab", '<a href="/terms" target="_blank">'],
    ["a download", '<a href="/terms" download>'],
    ["an e-mail address", '<a href="mailto:contact@site.example">'],
    ["a telephone number", '<a href="tel:18883737888">'],
    ["a redirect of the gateway", '<a href="/go/example">'],
    ["an asset", '<a href="/assets/shell/1.0.0/a.svg">'],
    ["the sitemap", '<a href="/sitemap.xml">'],
  ])("%s is left to the browser", (_, html) => {
    expect(pageUrl(anchor(html))).toBeNull();
  });
});

describe("prefetching", () => {
  const prefetch = vi.fn<Views["prefetch"]>();

  function Page(): ReactElement {
    useLinks({ prefetch } as Partial<Views> as Views);
    const names = ["Texas", "Utah", "Vermont"];
    return createElement(
      "p",
      null,
      ...names.map((name) => createElement("a", { key: name, href: `/state/${name}` }, name)),
      createElement("button", null, "Join"),
    );
  }

  function link(name: string): HTMLElement {
    const found = document.querySelector<HTMLElement>(`a[href="/state/${name}"]`);
    if (!found) throw new Error(`no link to ${name}`);
    return found;
  }

  function hover(element: Element): void {
    element.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, pointerType: "mouse" }));
  }

  beforeEach(() => {
    vi.useFakeTimers();
    prefetch.mockReset();
    render(createElement(MemoryRouter, null, createElement(Page)));
  });

  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });

  const TRIGGERS: readonly (readonly [string, (element: HTMLElement) => void])[] = [
    ["hovers over", hover],
    [
      "focuses",
      (element) => {
        element.focus();
      },
    ],
  ];

  test.each(TRIGGERS)("starts once the visitor %s a link for a moment", (_, trigger) => {
    for (const name of ["Texas", "Utah", "Vermont"]) trigger(link(name));
    expect(prefetch).not.toHaveBeenCalled();
    vi.runAllTimers();
    expect(prefetch.mock.calls).toEqual([["/state/Vermont"]]);
  });

  test.each(TRIGGERS)("does not start if the visitor who %s a link moves on", (_, trigger) => {
    trigger(link("Texas"));
    const button = document.querySelector("button");
    if (!button) throw new Error("no button");
    trigger(button);
    vi.runAllTimers();
    expect(prefetch).not.toHaveBeenCalled();
  });

  const touch = (element: Element): void => {
    element.dispatchEvent(new TouchEvent("touchstart", { bubbles: true }));
  };

  test("starts as soon as the visitor touches a link", () => {
    touch(link("Texas"));
    expect(prefetch.mock.calls).toEqual([["/state/Texas"]]);
  });

  test.each([
    ["who asks for less data", { saveData: true, effectiveType: "4g" }, 0],
    ["on a slow connection", { saveData: false, effectiveType: "2g" }, 0],
    ["on a very slow connection", { saveData: false, effectiveType: "slow-2g" }, 0],
    ["on a fast connection", { saveData: false, effectiveType: "4g" }, 3],
    ["with an unknown connection", undefined, 3],
  ])("for a visitor %s (%j) happens %i times", (_, connection, times) => {
    vi.stubGlobal("navigator", Object.assign(Object.create(navigator), { connection }));
    touch(link("Texas"));
    hover(link("Utah"));
    vi.runAllTimers();
    link("Vermont").focus();
    vi.runAllTimers();
    vi.unstubAllGlobals();
    expect(prefetch).toHaveBeenCalledTimes(times);
  });
});
