import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { Suspense, useState, type ReactElement } from "react";
import { createRoot, hydrateRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { SectionErrorBoundary } from "../SectionErrorBoundary.js";
import { createLazy } from "./lazyParts.js";
import type { DeploymentStatus } from "./pageEndpoint.js";
import { UNUSED } from "../fixtures.js";
import { provide } from "./provided.js";

const SECTION = { name: "venues", version: "1.0.0", container: "", entry: "", integrity: "", assets: [] };
const FILE = "/assets/venues/1.0.0/reviews.js";
const SERVER_HTML = "<!--$--><h1>Venue</h1><!--$--><button>0 helpful</button><!--/$--><!--/$-->";

let status: DeploymentStatus;
const deployment = { status: () => Promise.resolve(status), reload: vi.fn(() => undefined), report: vi.fn() };
const fetching = vi.fn<typeof fetch>();
provide({ boot: { deployment: "1", configs: {} }, deployment, parts: {}, ...UNUSED });

function chunkLoadError(type: string): Error {
  return Object.assign(new Error("Loading chunk 7 failed."), { name: "ChunkLoadError", request: FILE, type });
}

function Reviews(): ReactElement {
  const [count, setCount] = useState(0);
  return (
    <button
      onClick={() => {
        setCount(count + 1);
      }}
    >
      {`${String(count)} helpful`}
    </button>
  );
}

type Load = () => Promise<{ readonly default: typeof Reviews }>;

/** A page of which a part is lazy. */
function page(load: Load): ReactElement {
  const Lazy = createLazy(SECTION)(load);
  return (
    <SectionErrorBoundary
      pattern="/"
      section={SECTION}
      deployment={deployment}
      loading="Loading"
      fallback={() => "The fallback"}
    >
      <h1>Venue</h1>
      <Suspense fallback="Loading reviews">
        <Lazy />
      </Suspense>
    </SectionErrorBoundary>
  );
}

let root: Root;
let container: HTMLElement;

async function pass(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms));
}

async function hydrate(load: Load): Promise<void> {
  container.innerHTML = SERVER_HTML;
  act(() => {
    root = hydrateRoot(container, page(load));
  });
  await pass(0);
}

async function render(load: Load): Promise<void> {
  act(() => {
    root = createRoot(container);
    root.render(page(load));
  });
  await pass(0);
}

beforeEach(() => {
  status = "retained";
  history.replaceState(null, "", "/venue");
  vi.useFakeTimers();
  fetching.mockResolvedValue(new Response());
  vi.stubGlobal("fetch", fetching);
  for (const method of ["warn", "error"] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
  container = document.createElement("main");
  document.body.append(container);
});

afterEach(() => {
  act(() => {
    root.unmount();
  });
  cleanup();
  container.remove();
  vi.useRealTimers();
  vi.clearAllMocks();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("a part that does not load keeps its server HTML, is reported, and hydrates once it loads", async () => {
  const load = vi.fn<Load>().mockRejectedValueOnce(chunkLoadError("error")).mockResolvedValue({ default: Reviews });
  await hydrate(load);
  const button = screen.getByRole("button");
  expect(container.textContent).toBe("Venue0 helpful");
  expect(deployment.report.mock.calls).toEqual([[{ section: SECTION }, "load", expect.any(Error)]]);
  await pass(1_000);
  // As React calls it: without arguments.
  expect(load.mock.calls).toEqual([[], []]);
  expect(screen.getByRole("button")).toBe(button);
  fireEvent.click(button);
  expect(button.textContent).toBe("1 helpful");
});

test("a part without server HTML shows its own fallback until it loads", async () => {
  await render(vi.fn<Load>().mockRejectedValueOnce(chunkLoadError("error")).mockResolvedValue({ default: Reviews }));
  expect(container.textContent).toBe("VenueLoading reviews");
  await pass(1_000);
  expect(container.textContent).toBe("Venue0 helpful");
});

test.each([
  ["that came too slowly", "timeout", "default"],
  ["that is damaged in the browser’s cache", "error", "reload"],
])("a file %s is fetched before the next attempt", async (_, type, cache) => {
  await hydrate(vi.fn<Load>().mockRejectedValueOnce(chunkLoadError(type)).mockResolvedValue({ default: Reviews }));
  expect(fetching).toHaveBeenCalledExactlyOnceWith(FILE, expect.objectContaining({ cache }));
});

test.each([
  [200, 0],
  [404, 1],
])("a file that came too slowly is reported only if its fetch fails, too: status %i", async (code, reports) => {
  fetching.mockResolvedValue(new Response(null, { status: code }));
  await hydrate(vi.fn<Load>().mockRejectedValueOnce(chunkLoadError("timeout")).mockResolvedValue({ default: Reviews }));
  expect(deployment.report).toHaveBeenCalledTimes(reports);
});

test.each(["retained", "gone"] as const)(
  "a part is not loaded again once its page is left, until it renders again: deployment %s",
  async (later) => {
    const load = vi.fn<Load>().mockRejectedValue(chunkLoadError("error"));
    const content = page(load);
    act(() => {
      root = createRoot(container);
      root.render(content);
    });
    await pass(0);
    history.pushState(null, "", "/another");
    act(() => {
      root.render("Another page");
    });
    status = later;
    await pass(120_000);
    expect(load).toHaveBeenCalledOnce();
    expect(deployment.reload).not.toHaveBeenCalled();
    load.mockResolvedValue({ default: Reviews });
    act(() => {
      root.render(content);
    });
    await pass(0);
    expect(container.textContent).toBe("Venue0 helpful");
  },
);

test("a deployment that is gone does not reload the page to which the visitor has gone meanwhile", async () => {
  status = "gone";
  let fail: (error: Error) => void = () => undefined;
  await render(
    () =>
      new Promise((_, reject) => {
        fail = reject;
      }),
  );
  history.pushState(null, "", "/meanwhile");
  act(() => {
    root.render("Another page");
  });
  fail(chunkLoadError("missing"));
  await pass(0);
  expect(deployment.reload).not.toHaveBeenCalled();
});

test("a deployment that is gone reloads the document, and is no fault of the release", async () => {
  status = "gone";
  await hydrate(vi.fn<Load>().mockRejectedValue(chunkLoadError("missing")));
  expect(deployment.reload).toHaveBeenCalledOnce();
  expect(deployment.report).not.toHaveBeenCalled();
});

test("a part whose code throws is replaced with its page", async () => {
  await render(() => Promise.reject(new TypeError("a fault of the part")));
  expect(container.textContent).toBe("The fallback");
  expect(deployment.report.mock.calls).toEqual([[{ section: SECTION, pattern: "/" }, "render", expect.any(TypeError)]]);
});
