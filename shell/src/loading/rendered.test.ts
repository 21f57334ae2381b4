// @vitest-environment happy-dom
import { type AnyPage, type Head } from "@colonnade/kit";
import type { Boot, PageAnswer, RenderedView } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { cleanup, render, screen } from "@testing-library/react";
import { createElement, Suspense, type FunctionComponent } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { refetch } from "./federation";
import type { Standing } from "./lookup";
import { loadPage } from "./page";
import { renderedView } from "./rendered";
import type { PageView, View } from "./view";

vi.mock("./federation", () => ({ refetch: vi.fn(() => Promise.resolve()) }));
vi.mock("./page", () => ({ loadPage: vi.fn() }));

const HEAD: Head = { title: "Hello", description: "A greeting", canonical: "/hello/x", robots: "noindex" };
const VIEW: RenderedView = {
  kind: "page",
  data: { name: "Māui" },
  head: HEAD,
  layout: { header: "plain", footerNote: "Only here" },
};
const ANSWER: PageAnswer = {
  section: { name: "hello", version: "1.0.0", container: "", entry: "/entry.js", integrity: "", assets: [] },
  pattern: "/hello/:name",
  assets: [],
};
const BOOT: Boot = { deployment: 7, site: TEST_SITE, page: ANSWER, slots: {} };
const PATH = "/hello/M%C4%81ui";

let standing: Standing;
const tab = {
  standing: vi.fn(() => Promise.resolve(standing)),
  renew: vi.fn<() => Promise<never> | undefined>(),
  report: vi.fn(),
};
const arrived = vi.fn();

function viewOf(boot: Boot, view: RenderedView, path = PATH): View | undefined {
  return renderedView(boot, view, path, tab, arrived);
}

/** What the page's code draws. */
const Hello: FunctionComponent<{ data: { name: string } }> = ({ data }) => createElement("h1", null, data.name);

function arrive(): void {
  vi.mocked(loadPage).mockResolvedValue({ page: { Component: Hello } as unknown as AnyPage, params: {} });
}

function show(view: View | undefined): void {
  const { Component, props } = view as PageView;
  render(createElement(Suspense, { fallback: "waiting" }, createElement(Component, props)));
}

beforeEach(() => {
  standing = "kept";
  vi.clearAllMocks();
  tab.renew.mockReturnValue(undefined);
  vi.mocked(loadPage).mockRejectedValue(new TypeError("Failed to fetch"));
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("the view of a page that came rendered", () => {
  test("is there at once: data, head and layout of the payload, params of the path", () => {
    expect(viewOf(BOOT, VIEW)).toMatchObject({
      kind: "page",
      section: ANSWER.section,
      head: HEAD,
      layout: { header: "plain", footerNote: "Only here" },
      params: { name: "Māui" },
      props: { data: { name: "Māui" } },
    });
  });

  test("has its code on the way before anything is drawn", () => {
    viewOf(BOOT, VIEW);
    expect(loadPage).toHaveBeenCalledOnce();
  });

  test("has the answer to a form post, where the payload has one", () => {
    expect((viewOf(BOOT, VIEW) as PageView).props).not.toHaveProperty("form");
    const form = { page: "/hello/x", error: "Already registered.", email: "somebody@site.example" };
    expect((viewOf({ ...BOOT, form }, VIEW) as PageView).props).toMatchObject({ form });
  });

  test("of a page that is not found is the view itself", () => {
    const notFound = { kind: "notFound", heading: "State not found" } as const;
    expect(viewOf(BOOT, notFound)).toEqual(notFound);
    expect(viewOf({ ...BOOT, page: null }, notFound)).toEqual(notFound);
  });

  test("is none where the payload's page is not that of the path", () => {
    expect(viewOf({ ...BOOT, page: null }, VIEW)).toBeUndefined();
    expect(viewOf(BOOT, VIEW, "/elsewhere")).toBeUndefined();
  });
});

describe("its code", () => {
  test("is drawn as soon as it is there, asked for once, and said to have arrived", async () => {
    arrive();
    const view = viewOf(BOOT, VIEW);
    show(view);
    expect((await screen.findByRole("heading")).textContent).toBe("Māui");
    expect(loadPage).toHaveBeenCalledExactlyOnceWith(PATH, ANSWER);
    expect(arrived).toHaveBeenCalledOnce();
    expect(refetch).not.toHaveBeenCalled();
  });

  test("is tried again for as long as it takes, past the browser's cache, and never fails", async () => {
    vi.useFakeTimers();
    show(viewOf(BOOT, VIEW));
    // After 1, 2, 4, 8, 16 seconds, and from then on every 30.
    await vi.advanceTimersByTimeAsync(0);
    for (const [before, seconds] of [1, 2, 4, 8, 16, 30, 30].entries()) {
      await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1);
      expect(loadPage).toHaveBeenCalledTimes(before + 1);
      expect(refetch).toHaveBeenCalledTimes(before);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(screen.getByText("waiting")).toBeTruthy();
    arrive();
    await vi.advanceTimersByTimeAsync(30_000);
    vi.useRealTimers();
    expect((await screen.findByRole("heading")).textContent).toBe("Māui");
    expect(arrived).toHaveBeenCalledOnce();
  });

  test("is tried at once when the network is back", async () => {
    show(viewOf(BOOT, VIEW));
    await vi.waitFor(() => {
      expect(console.warn).toHaveBeenCalledOnce();
    });
    arrive();
    window.dispatchEvent(new Event("online"));
    expect(await screen.findByRole("heading")).toBeTruthy();
  });

  test("that hangs is code that failed", async () => {
    vi.useFakeTimers();
    vi.mocked(loadPage).mockReturnValue(new Promise(() => undefined));
    show(viewOf(BOOT, VIEW));
    await vi.advanceTimersByTimeAsync(15_000);
    expect(String(vi.mocked(console.warn).mock.lastCall?.[1])).toContain(`the page ${PATH} took longer than 15000 ms`);
  });

  test.each([
    ["kept", 1],
    ["unknown", 0],
  ] as const)("that fails while the deployment is %s is reported %i times", async (what, times) => {
    standing = what;
    show(viewOf(BOOT, VIEW));
    await vi.waitFor(() => {
      expect(console.warn).toHaveBeenCalledOnce();
    });
    expect(tab.report).toHaveBeenCalledTimes(times);
    if (times > 0) expect(tab.report).toHaveBeenCalledWith(ANSWER.section, "load", expect.any(TypeError));
    expect(tab.renew).not.toHaveBeenCalled();
  });

  test("that went with the deployment has a new document take over, where one may", async () => {
    standing = "gone";
    tab.renew.mockReturnValue(new Promise<never>(() => undefined));
    show(viewOf(BOOT, VIEW));
    await vi.waitFor(() => {
      expect(tab.renew).toHaveBeenCalledOnce();
    });
    expect(tab.report).not.toHaveBeenCalled();
    expect(console.warn).not.toHaveBeenCalled();
  });
});
