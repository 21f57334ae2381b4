// @vitest-environment happy-dom
import { render, cleanup } from "@testing-library/react";
import { createElement, type ReactElement } from "react";
import { MemoryRouter } from "react-router-dom";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { Views } from "../loading/view";
import { pageOf, useLinks } from "./links";

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

describe("what a link leads to is fetched", () => {
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

  const WAYS: readonly (readonly [string, (element: HTMLElement) => void])[] = [
    ["hovers over", hover],
    [
      "focuses",
      (element) => {
        element.focus();
      },
    ],
  ];

  test.each(WAYS)("once the visitor %s it for a moment, and not on the way to another", (_, reach) => {
    for (const name of ["Texas", "Utah", "Vermont"]) reach(link(name));
    expect(prefetch).not.toHaveBeenCalled();
    vi.runAllTimers();
    expect(prefetch.mock.calls).toEqual([["/state/Vermont"]]);
  });

  test.each(WAYS)("not where the visitor who %s it goes on to something else", (_, reach) => {
    reach(link("Texas"));
    const button = document.querySelector("button");
    if (!button) throw new Error("no button");
    reach(button);
    vi.runAllTimers();
    expect(prefetch).not.toHaveBeenCalled();
  });

  const TOUCH = (element: Element): void => {
    element.dispatchEvent(new TouchEvent("touchstart", { bubbles: true }));
  };

  test("as soon as the visitor touches it", () => {
    TOUCH(link("Texas"));
    expect(prefetch.mock.calls).toEqual([["/state/Texas"]]);
  });

  test.each([
    ["who asks for less data", { saveData: true, effectiveType: "4g" }, 0],
    ["on a slow connection", { saveData: false, effectiveType: "2g" }, 0],
    ["on a very slow connection", { saveData: false, effectiveType: "slow-2g" }, 0],
    ["on a fast connection", { saveData: false, effectiveType: "4g" }, 3],
    ["of whose connection nothing is known", undefined, 3],
  ])("for a visitor %s: %j, %i times", (_, connection, times) => {
    vi.stubGlobal("navigator", Object.assign(Object.create(navigator), { connection }));
    TOUCH(link("Texas"));
    hover(link("Utah"));
    vi.runAllTimers();
    link("Vermont").focus();
    vi.runAllTimers();
    vi.unstubAllGlobals();
    expect(prefetch).toHaveBeenCalledTimes(times);
  });
});
