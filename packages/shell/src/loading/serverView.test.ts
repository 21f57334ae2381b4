// @vitest-environment happy-dom
import type { AnyPage, Head } from "@colonnade/kit";
import type { Boot, ResolvedPage, RenderedView } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { cleanup, render, screen } from "@testing-library/react";
import { createElement, Suspense, type FunctionComponent } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { refetch } from "./fetchFile.js";
import { loadPage } from "./loadPage.js";
import type { DeploymentStatus } from "./pageEndpoint.js";
import { createServerView } from "./serverView.js";
import type { PageView, View } from "./view.js";

vi.mock("./fetchFile.js", () => ({ refetch: vi.fn(() => Promise.resolve()) }));
vi.mock("./loadPage.js", () => ({ loadPage: vi.fn() }));

const HEAD: Head = { title: "Hello", description: "A greeting", canonical: "/hello/x", robots: "noindex" };
const VIEW: RenderedView = {
  kind: "page",
  data: { name: "Māui" },
  head: HEAD,
  layout: { header: "plain", footerNote: "Only here" },
};
const RESOLVED: ResolvedPage = {
  section: { name: "hello", version: "1.0.0", container: "", entry: "/entry.js", integrity: "", assets: [] },
  pattern: "/hello/:name",
  assets: [],
};
const BOOT: Boot = { deployment: "7", site: TEST_SITE, configs: {}, page: RESOLVED };
const PATH = "/hello/M%C4%81ui";

let status: DeploymentStatus;
const deployment = {
  status: vi.fn(() => Promise.resolve(status)),
  reload: vi.fn<() => Promise<never> | undefined>(),
  report: vi.fn(),
};
const onCodeLoaded = vi.fn();

function viewOf(boot: Boot, view: RenderedView, path = PATH): View | undefined {
  return createServerView({ ...boot, view }, path, deployment, new AbortController().signal, onCodeLoaded);
}

/** The page's component. */
const Hello: FunctionComponent<{ data: { name: string } }> = ({ data }) => createElement("h1", null, data.name);

function resolveCode(): void {
  vi.mocked(loadPage).mockResolvedValue({ page: { Component: Hello } as unknown as AnyPage, params: {}, search: {} });
}

/** Lets the page's code fail to load. Retries wait by fake timers, so that none is left for the next test. */
function failToLoad(): void {
  vi.useFakeTimers();
  vi.mocked(loadPage).mockRejectedValue(new TypeError("Failed to fetch"));
}

function show(view: View | undefined): void {
  const { Component, props } = view as PageView;
  render(createElement(Suspense, { fallback: "Loading" }, createElement(Component, props)));
}

beforeEach(() => {
  status = "retained";
  history.replaceState(null, "", PATH);
  vi.clearAllMocks();
  deployment.reload.mockReturnValue(undefined);
  resolveCode();
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("the view of a server-rendered page", () => {
  test("has the boot payload's data and the path's parameters", () => {
    expect(viewOf(BOOT, VIEW)).toMatchObject({
      kind: "page",
      section: RESOLVED.section,
      head: HEAD,
      layout: { header: "plain", footerNote: "Only here" },
      params: { name: "Māui" },
      props: { data: { name: "Māui" } },
    });
  });

  test("starts loading its code before the first render", () => {
    viewOf(BOOT, VIEW);
    expect(loadPage).toHaveBeenCalledOnce();
  });

  test("has the result of a form post if the boot payload has one", () => {
    expect((viewOf(BOOT, VIEW) as PageView).props).not.toHaveProperty("form");
    const form = { page: "/hello/x", message: "Already registered.", values: { email: "visitor@site.example" } };
    expect((viewOf({ ...BOOT, form }, VIEW) as PageView).props).toMatchObject({ form });
  });

  test("is passed through for a page that is not found", () => {
    const notFound = { kind: "notFound", heading: "State not found" } as const;
    expect(viewOf(BOOT, notFound)).toEqual(notFound);
    expect(viewOf({ ...BOOT, page: null }, notFound)).toEqual(notFound);
  });

  test("is undefined if boot payload and path do not match", () => {
    expect(viewOf({ ...BOOT, page: null }, VIEW)).toBeUndefined();
    expect(viewOf(BOOT, VIEW, "/elsewhere")).toBeUndefined();
  });
});

describe("the code of a server-rendered page", () => {
  test("is requested once, renders, and calls onCodeLoaded", async () => {
    const view = viewOf(BOOT, VIEW);
    show(view);
    expect((await screen.findByRole("heading")).textContent).toBe("Māui");
    expect(loadPage).toHaveBeenCalledExactlyOnceWith(PATH, RESOLVED);
    expect(onCodeLoaded).toHaveBeenCalledOnce();
    expect(refetch).not.toHaveBeenCalled();
  });

  test("is retried with backoff and without cache until it loads", async () => {
    failToLoad();
    show(viewOf(BOOT, VIEW));
    // After 1, 2, 4, 8 and 16 seconds, then every 30.
    await vi.advanceTimersByTimeAsync(0);
    for (const [before, seconds] of [1, 2, 4, 8, 16, 30, 30].entries()) {
      await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1);
      expect(loadPage).toHaveBeenCalledTimes(before + 1);
      expect(refetch).toHaveBeenCalledTimes(before);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(screen.getByText("Loading")).toBeTruthy();
    resolveCode();
    await vi.advanceTimersByTimeAsync(30_000);
    vi.useRealTimers();
    expect((await screen.findByRole("heading")).textContent).toBe("Māui");
    expect(onCodeLoaded).toHaveBeenCalledOnce();
  });

  test("is retried at once when the browser is back online", async () => {
    failToLoad();
    show(viewOf(BOOT, VIEW));
    await vi.waitFor(() => {
      expect(console.warn).toHaveBeenCalledOnce();
    });
    resolveCode();
    window.dispatchEvent(new Event("online"));
    vi.useRealTimers();
    expect(await screen.findByRole("heading")).toBeTruthy();
  });

  // 143 kB in 38.1 s: 30 kbit/s.
  test.each([
    [undefined, 15_000],
    [143_000, 53_133],
  ])("of %s bytes times out after %i ms", async (bytes, ms) => {
    vi.useFakeTimers();
    vi.mocked(loadPage).mockReturnValue(new Promise(() => undefined));
    show(viewOf({ ...BOOT, page: { ...RESOLVED, ...(bytes && { bytes }) } }, VIEW));
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(console.warn).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    const warning = String(vi.mocked(console.warn).mock.lastCall?.[1]);
    expect(warning).toContain(`the page ${PATH} took longer than ${String(ms)} ms`);
  });

  test.each([
    ["retained", 1],
    ["unknown", 0],
  ] as const)("that fails while the deployment is %s is reported %i times", async (deploymentStatus, times) => {
    status = deploymentStatus;
    failToLoad();
    show(viewOf(BOOT, VIEW));
    await vi.waitFor(() => {
      expect(console.warn).toHaveBeenCalledOnce();
    });
    expect(deployment.report).toHaveBeenCalledTimes(times);
    if (times > 0) expect(deployment.report).toHaveBeenCalledWith(RESOLVED, "load", expect.any(TypeError));
    expect(deployment.reload).not.toHaveBeenCalled();
  });

  test("reloads the document if the deployment is gone", async () => {
    status = "gone";
    failToLoad();
    deployment.reload.mockReturnValue(new Promise<never>(() => undefined));
    show(viewOf(BOOT, VIEW));
    await vi.waitFor(() => {
      expect(deployment.reload).toHaveBeenCalledOnce();
    });
    expect(deployment.report).not.toHaveBeenCalled();
    expect(console.warn).not.toHaveBeenCalled();
  });

  test("does not reload another page to which the visitor has gone", async () => {
    status = "gone";
    failToLoad();
    show(viewOf(BOOT, VIEW));
    history.replaceState(null, "", "/another");
    await vi.advanceTimersByTimeAsync(0);
    expect(deployment.status).toHaveBeenCalledOnce();
    expect(deployment.reload).not.toHaveBeenCalled();
  });
});
