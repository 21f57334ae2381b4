import { act, cleanup, render, screen } from "@testing-library/react";
import { Component, Suspense, type ReactElement, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

// Each test starts as a browser does: with no text loaded.
let loading: typeof import("./loading");
beforeEach(async () => {
  vi.resetModules();
  loading = await import("./loading");
});
afterEach(() => {
  cleanup();
  vi.doUnmock("./articles");
  vi.restoreAllMocks();
});

function Probe(): ReactElement {
  return <p>{String(loading.useText("red-flags").frontmatter.title)}</p>;
}

class Boundary extends Component<{ readonly children: ReactNode }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? "failed" : this.props.children;
  }
}

const view = (
  <Boundary>
    <Suspense fallback="waiting">
      <Probe />
    </Suspense>
  </Boundary>
);

// What is awaited sees a wait through to its end.
async function renderView(): Promise<void> {
  await act(async () => {
    render(view);
    await Promise.resolve();
  });
}

describe("useText", () => {
  it("a text that was loaded is rendered without waiting", async () => {
    await loading.loadText("red-flags");
    expect(renderToString(view)).toContain("<p>Red flags</p>");
  });

  it("a text that was not loaded is waited for", async () => {
    expect(renderToString(view)).toContain("waiting");
    await renderView();
    expect(await screen.findByText("Red flags")).toBeTruthy();
  });

  it("a text that fails to load is asked for once, and again when it is loaded anew", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    const load = vi
      .fn()
      .mockRejectedValueOnce(new Error("out of reach"))
      .mockResolvedValue({ frontmatter: { title: "Arrived" } });
    vi.resetModules();
    vi.doMock("./articles", () => ({ ARTICLES: { "red-flags": load } }));
    loading = await import("./loading");

    await renderView();
    expect(await screen.findByText("failed")).toBeTruthy();
    expect(load).toHaveBeenCalledTimes(1);

    cleanup();
    await loading.loadText("red-flags");
    await renderView();
    expect(screen.getByText("Arrived")).toBeTruthy();
  });
});
