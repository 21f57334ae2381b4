import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { Suspense, useLayoutEffect, type ReactElement } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { findRenderedHtml, type RenderedHtml } from "./loading/html";
import type { Standing } from "./loading/lookup";
import { SectionBoundary } from "./SectionBoundary";

const SECTION = { name: "fragile", version: "1.0.0", container: "", entry: "", integrity: "", assets: [] };

describe("SectionBoundary", () => {
  let broken = true;
  let thrown: Error;
  let standing: Standing;
  let renewing: Promise<never> | undefined;
  const report = vi.fn();
  const renew = vi.fn(() => renewing);
  const tab = { standing: () => Promise.resolve(standing), renew, report };

  function missingFile(): Error {
    return Object.assign(new Error("Loading chunk 7 failed."), { name: "ChunkLoadError" });
  }

  function Fragile(): ReactElement {
    if (broken) throw thrown;
    return <p>The section</p>;
  }

  function show(): void {
    render(
      <SectionBoundary section={SECTION} tab={tab}>
        <Fragile />
      </SectionBoundary>,
    );
  }

  async function failTwice(): Promise<void> {
    show();
    fireEvent.click(screen.getByText("Try again"));
    await waitFor(() => {
      expect(console.warn).toHaveBeenCalledTimes(2);
    });
    fireEvent.click(await screen.findByText("Try again"));
  }

  beforeEach(() => {
    broken = true;
    thrown = new TypeError("the section threw");
    standing = "kept";
    renewing = undefined;
    vi.clearAllMocks();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
  });

  afterEach(() => {
    cleanup();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  test("a section that throws is replaced by words and a button, and reported by name", () => {
    show();
    expect(screen.getByRole("alert").textContent).toContain("unavailable right now");
    expect(console.warn).toHaveBeenCalledWith(
      '[shell] the section "fragile" failed while rendering:',
      expect.any(Error),
    );
    expect(report.mock.calls).toEqual([[SECTION, "render", thrown]]);
    expect(renew).not.toHaveBeenCalled();
  });

  test("a file that is missing is a failure to load, once it is known to be the section's own", async () => {
    thrown = missingFile();
    show();
    expect(screen.queryByRole("alert")).toBeNull();
    expect(await screen.findByRole("alert")).toBeTruthy();
    expect(report.mock.calls).toEqual([[SECTION, "load", thrown]]);
    expect(renew).not.toHaveBeenCalled();
  });

  test("a file that went with the deployment is no failure: a new document takes over, unseen", async () => {
    thrown = missingFile();
    standing = "gone";
    renewing = new Promise(() => undefined);
    show();
    await waitFor(() => {
      expect(renew).toHaveBeenCalledOnce();
    });
    expect(screen.queryByRole("alert")).toBeNull();
    expect(report).not.toHaveBeenCalled();
  });

  test.each(["gone", "unknown"] as const)(
    "a file that is missing is no failure to report where the deployment is %s",
    async (is) => {
      thrown = missingFile();
      standing = is;
      show();
      expect(await screen.findByRole("alert")).toBeTruthy();
      expect(report).not.toHaveBeenCalled();
    },
  );

  test("Try again shows the section once it works", async () => {
    show();
    broken = false;
    fireEvent.click(screen.getByText("Try again"));
    expect(await screen.findByText("The section")).toBeTruthy();
  });

  test("what fails twice stays where no new document can be had", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new Error("offline")));
    const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined);
    await failTwice();
    await waitFor(() => {
      expect(console.warn).toHaveBeenCalledTimes(3);
    });
    expect(reload).not.toHaveBeenCalled();
  });

  test("where one can be had, it takes over", async () => {
    vi.stubGlobal("fetch", () => Promise.resolve(new Response()));
    const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined);
    await failTwice();
    await waitFor(() => {
      expect(reload).toHaveBeenCalledOnce();
    });
  });

  describe("a page that came rendered", () => {
    let main: HTMLElement;
    let came: Element[];
    let html: RenderedHtml | null;

    /** Takes the page over, which fails while the section is broken. What is shown elsewhere comes without HTML. */
    function Site({ html, at }: { readonly html: RenderedHtml | null; readonly at: string }): ReactElement {
      return (
        <main>
          <SectionBoundary key={at} section={SECTION} tab={tab} html={html}>
            <Suspense fallback="Loading">
              <p>
                Read <a href="/terms">the terms</a>
              </p>
              <label>
                Age <input name="age" />
              </label>
              <Fragile />
              <TakeOver html={html} />
            </Suspense>
          </SectionBoundary>
        </main>
      );
    }

    function TakeOver({ html }: { readonly html: RenderedHtml | null }): null {
      useLayoutEffect(() => {
        html?.takeOver();
      });
      return null;
    }

    /** Has the page there as it was rendered, and gives it to React. */
    function hydrate({ fails }: { readonly fails: boolean }): ReturnType<typeof render> {
      broken = false;
      const container = document.createElement("div");
      container.innerHTML = renderToString(<Site html={null} at="here" />);
      document.body.append(container);
      main = container.querySelector("main") ?? container;
      came = [...main.children];
      main.querySelector("input")?.focus();
      html = findRenderedHtml(container);
      broken = fails;
      return render(<Site html={html} at="here" />, { container, hydrate: true });
    }

    function expectAsItCame(): void {
      expect(came).toHaveLength(3);
      expect([...main.childNodes].map((node, index) => node === came[index])).toEqual([true, true, true]);
    }

    test("stays to be read where its code throws first, focus and all, and the failure is reported", () => {
      hydrate({ fails: true });
      expectAsItCame();
      expect(document.activeElement).toBe(main.querySelector("input"));
      expect(report.mock.calls).toEqual([[SECTION, "render", thrown]]);
    });

    test("so it does where a file of its code is missing, while that is looked into and after", async () => {
      thrown = missingFile();
      hydrate({ fails: true });
      expectAsItCame();
      await waitFor(() => {
        expect(report.mock.calls).toEqual([[SECTION, "load", thrown]]);
      });
      expectAsItCame();
    });

    test("goes when the visitor leaves it, and is another attempt when they come back", () => {
      const { rerender } = hydrate({ fails: true });
      broken = false;
      rerender(<Site html={null} at="elsewhere" />);
      expect(came.some((node) => node.isConnected)).toBe(false);
      expect(screen.getByText("The section")).toBeTruthy();
      broken = true;
      rerender(<Site html={html} at="here" />);
      expect(screen.getByRole("alert").textContent).toContain("unavailable right now");
      expect(screen.queryByText("the terms")).toBeNull();
    });

    test("is like any other once it has been taken over", () => {
      const { rerender } = hydrate({ fails: false });
      broken = true;
      rerender(<Site html={html} at="here" />);
      expect(main.textContent).toContain("unavailable right now");
      expect(screen.queryByText("the terms")).toBeNull();
    });
  });

  test("a page without HTML of its own has none to keep", () => {
    document.body.innerHTML = "<div><main><h1>Page not found</h1></main></div>";
    expect(findRenderedHtml(document.body)).toBeNull();
  });
});
