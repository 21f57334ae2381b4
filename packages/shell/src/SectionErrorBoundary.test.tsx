import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { useLayoutEffect, type ReactElement, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { DeploymentStatus } from "./loading/pageEndpoint.js";
import { findServerHtml, type ServerHtml } from "./loading/serverHtml.js";
import type { RetryProps } from "./parts.js";
import { SectionErrorBoundary, type SectionErrorBoundaryProps } from "./SectionErrorBoundary.js";

const SECTION = { name: "fragile", version: "1.0.0", container: "", entry: "", integrity: "", assets: [] };

function Failed({ retry }: RetryProps): ReactElement {
  return (
    <div role="alert">
      <h1>Unavailable</h1>
      <button onClick={() => void retry()}>Try again</button>
    </div>
  );
}

describe("SectionErrorBoundary", () => {
  let broken = true;
  let thrown: Error;
  let status: DeploymentStatus;
  let reloading: Promise<never> | undefined;
  const report = vi.fn();
  const reload = vi.fn(() => reloading);
  const deployment = { status: () => Promise.resolve(status), reload, report };

  function chunkLoadError(): Error {
    return Object.assign(new Error("Loading chunk 7 failed."), { name: "ChunkLoadError" });
  }

  function Fragile(): ReactElement {
    if (broken) throw thrown;
    return <p>The section</p>;
  }

  function Boundary(props: Partial<SectionErrorBoundaryProps> & { readonly children: ReactNode }): ReactElement {
    return (
      <SectionErrorBoundary
        section={SECTION}
        pattern="/fragile"
        deployment={deployment}
        loading="Loading"
        fallback={(retry) => <Failed retry={retry} />}
        {...props}
      />
    );
  }

  function show(): void {
    render(
      <Boundary>
        <Fragile />
      </Boundary>,
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
    status = "retained";
    reloading = undefined;
    vi.clearAllMocks();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
  });

  afterEach(() => {
    cleanup();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  test("a throwing section is replaced by the fallback and reported", () => {
    show();
    expect(screen.getByRole("alert").textContent).toContain("Unavailable");
    expect(console.warn).toHaveBeenCalledWith(
      '[shell] the section "fragile" failed while rendering:',
      expect.any(Error),
    );
    expect(report.mock.calls).toEqual([[{ section: SECTION, pattern: "/fragile" }, "render", thrown]]);
    expect(reload).not.toHaveBeenCalled();
  });

  test("a missing file of a retained deployment is a load failure", async () => {
    thrown = chunkLoadError();
    show();
    expect(screen.queryByRole("alert")).toBeNull();
    expect(await screen.findByRole("alert")).toBeTruthy();
    expect(report.mock.calls).toEqual([[{ section: SECTION, pattern: "/fragile" }, "load", thrown]]);
    expect(reload).not.toHaveBeenCalled();
  });

  test("a file of a deleted deployment reloads without the fallback", async () => {
    thrown = chunkLoadError();
    status = "gone";
    reloading = new Promise(() => undefined);
    show();
    await waitFor(() => {
      expect(reload).toHaveBeenCalledOnce();
    });
    expect(screen.queryByRole("alert")).toBeNull();
    expect(report).not.toHaveBeenCalled();
  });

  test.each(["gone", "unknown"] as const)(
    "a missing file is not reported if the deployment is %s",
    async (deploymentStatus) => {
      thrown = chunkLoadError();
      status = deploymentStatus;
      show();
      expect(await screen.findByRole("alert")).toBeTruthy();
      expect(report).not.toHaveBeenCalled();
    },
  );

  test("Try again renders the section again", async () => {
    show();
    broken = false;
    fireEvent.click(screen.getByText("Try again"));
    expect(await screen.findByText("The section")).toBeTruthy();
  });

  test("a second failure does not reload an unreachable document", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new Error("offline")));
    const reloadDocument = vi.spyOn(location, "reload").mockImplementation(() => undefined);
    await failTwice();
    await waitFor(() => {
      expect(console.warn).toHaveBeenCalledTimes(3);
    });
    expect(reloadDocument).not.toHaveBeenCalled();
  });

  describe("a server-rendered page", () => {
    let main: HTMLElement;
    let original: Element[];
    let serverHtml: ServerHtml | null;

    /** A page whose hydration fails while `broken` is set. */
    function Site({ serverHtml, at }: { readonly serverHtml: ServerHtml | null; readonly at: string }): ReactElement {
      return (
        <main>
          <Boundary key={at} serverHtml={serverHtml}>
            <p>
              Read <a href="/terms">the terms</a>
            </p>
            <label>
              Age <input name="age" />
            </label>
            <Fragile />
            <HydrationEffect serverHtml={serverHtml} />
          </Boundary>
        </main>
      );
    }

    function HydrationEffect({ serverHtml }: { readonly serverHtml: ServerHtml | null }): null {
      useLayoutEffect(() => {
        serverHtml?.markHydrated();
      });
      return null;
    }

    /** Renders the page to HTML and hydrates it. */
    function hydrate({ fails }: { readonly fails: boolean }): ReturnType<typeof render> {
      broken = false;
      const container = document.createElement("div");
      container.innerHTML = renderToString(<Site serverHtml={null} at="here" />);
      document.body.append(container);
      main = container.querySelector("main") ?? container;
      original = [...main.children];
      main.querySelector("input")?.focus();
      serverHtml = findServerHtml(container);
      broken = fails;
      return render(<Site serverHtml={serverHtml} at="here" />, { container, hydrate: true });
    }

    function expectOriginalNodes(): void {
      expect(original).toHaveLength(3);
      expect([...main.childNodes].map((node, index) => node === original[index])).toEqual([true, true, true]);
    }

    test("keeps its focus if hydration throws, which is reported", () => {
      hydrate({ fails: true });
      expectOriginalNodes();
      expect(document.activeElement).toBe(main.querySelector("input"));
      expect(report.mock.calls).toEqual([[{ section: SECTION, pattern: "/fragile" }, "render", thrown]]);
    });

    test("stays if a file is missing, also during the status check", async () => {
      thrown = chunkLoadError();
      hydrate({ fails: true });
      expectOriginalNodes();
      await waitFor(() => {
        expect(report.mock.calls).toEqual([[{ section: SECTION, pattern: "/fragile" }, "load", thrown]]);
      });
      expectOriginalNodes();
    });

    test("is removed on leaving and rendered again on return", () => {
      const { rerender } = hydrate({ fails: true });
      broken = false;
      rerender(<Site serverHtml={null} at="elsewhere" />);
      expect(original.some((node) => node.isConnected)).toBe(false);
      expect(screen.getByText("The section")).toBeTruthy();
      broken = true;
      rerender(<Site serverHtml={serverHtml} at="here" />);
      expect(screen.getByRole("alert").textContent).toContain("Unavailable");
      expect(screen.queryByText("the terms")).toBeNull();
    });

    test("is replaced by the fallback if it throws after hydration", () => {
      const { rerender } = hydrate({ fails: false });
      broken = true;
      rerender(<Site serverHtml={serverHtml} at="here" />);
      expect(main.textContent).toContain("Unavailable");
      expect(screen.queryByText("the terms")).toBeNull();
    });
  });

  test("findServerHtml returns null without a Suspense boundary", () => {
    document.body.innerHTML = "<div><main><h1>Page not found</h1></main></div>";
    expect(findServerHtml(document.body)).toBeNull();
  });

  // Last: its transition never ends, and React waits for all pending async transitions together.
  test("a second failure reloads if the document is reachable", async () => {
    vi.stubGlobal("fetch", () => Promise.resolve(new Response()));
    const reloadDocument = vi.spyOn(location, "reload").mockImplementation(() => undefined);
    await failTwice();
    await waitFor(() => {
      expect(reloadDocument).toHaveBeenCalledOnce();
    });
  });
});
