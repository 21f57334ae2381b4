// @vitest-environment happy-dom
import { isRedirect, notFound, redirect, type AnyPage } from "@colonnade/kit";
import type { Boot, ResolvedPage } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { loadPage } from "./loadPage.js";
import { DeploymentGoneError, resolvePage } from "./pageEndpoint.js";
import { searchNames, viewPath } from "./reload.js";
import type { PageView } from "./view.js";
import { ViewLoader } from "./viewLoader.js";

vi.mock("./fetchFile.js", () => ({ refetch: vi.fn(() => Promise.resolve()) }));
vi.mock("./loadPage.js", () => ({ loadPage: vi.fn() }));
vi.mock("./pageEndpoint.js", () => ({ DeploymentGoneError: class extends Error {}, resolvePage: vi.fn() }));

const RESOLVED: ResolvedPage = {
  section: { name: "events", version: "1.0.0", container: "", entry: "/entry.js", integrity: "", assets: [] },
  pattern: "/events/:id",
  assets: [],
};
const BOOT: Boot = { deployment: "7", site: TEST_SITE, configs: {}, page: RESOLVED };
const HEAD = { title: "", description: "", canonical: "/" };
const SERVER_BOOT: Boot = {
  ...BOOT,
  view: { kind: "page", data: "from the server", head: HEAD, layout: {} },
};

const fetched = vi.fn<(path: string, init: { signal: AbortSignal }) => Promise<Response>>();
const report = vi.fn();
const deployment = { status: () => Promise.resolve("retained" as const), reload: () => undefined, report };
let views: ViewLoader;

/** The page at each path. By default its data is the result of a query. */
let pages: Record<string, Partial<AnyPage>>;

const live: Partial<AnyPage> = {
  queries: ({ params }) => ({ event: `/api/events/${params.id ?? ""}` }),
  data: ({ results }) => results?.event,
};

/** What the router does: the URL changes first. */
function go(path: string): void {
  history.replaceState(null, "", path);
}

async function visit(path: string): Promise<unknown> {
  go(path);
  const view = await views.load(path);
  views.setCurrent(path);
  return view.kind === "page" ? view.props.data : view;
}

beforeEach(() => {
  pages = {};
  go("/first");
  vi.stubGlobal("fetch", fetched);
  fetched
    .mockReset()
    .mockImplementation((path) => Promise.resolve(Response.json(`${path} ${String(fetched.mock.calls.length)}`)));
  report.mockReset();
  vi.mocked(resolvePage).mockReset().mockResolvedValue(RESOLVED);
  vi.mocked(loadPage)
    .mockClear()
    .mockImplementation((path) => {
      const [pathname = "", query = ""] = path.split("?");
      const page = { head: () => HEAD, ...(pages[pathname] ?? live) } as AnyPage;
      const params = { id: pathname.split("/").at(-1) ?? "" };
      return Promise.resolve({ page, params, search: Object.fromEntries(new URLSearchParams(query)) });
    });
  vi.spyOn(console, "warn").mockReturnValue();
  views = new ViewLoader(BOOT, "/first", deployment, go);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("a page brings the configuration of its section", async () => {
  const configs = { legal: { lawyer: "Ada" } };
  vi.mocked(resolvePage).mockResolvedValue({ ...RESOLVED, config: { phone: "555" } });
  views = new ViewLoader({ ...BOOT, configs }, "/first", deployment, go);
  await visit("/events/7");
  expect(configs).toEqual({ legal: { lawyer: "Ada" }, events: { phone: "555" } });
});

// Also after a rollout has ended: the gateway answers for its sets as long as it retains their deployments.
test("each page is resolved in the set of the document", async () => {
  views = new ViewLoader({ ...BOOT, deployment: "1.2" }, "/first", deployment, go);
  for (const path of ["/events/7", "/events/8"]) await visit(path);
  expect(vi.mocked(resolvePage).mock.calls).toEqual([
    ["1.2", "/events/7"],
    ["1.2", "/events/8"],
  ]);
});

describe("a page with a policy", () => {
  const boot = { ...BOOT, policy: ["images a.example", "workers true"] };
  const reload = vi.fn();

  beforeEach(() => {
    pages["/events/7"] = { data: () => "Event 7" };
    vi.spyOn(location, "reload").mockImplementation(reload.mockReset());
    views = new ViewLoader(boot, "/first", deployment, go);
  });

  const resolveWith = (policy: readonly string[]): void => {
    vi.mocked(resolvePage).mockResolvedValue({ ...RESOLVED, policy });
  };

  test.each([[["images a.example"]], [["workers true", "images a.example"]], [[]]])(
    "of %j is shown in a document that permits it",
    async (policy) => {
      resolveWith(policy);
      expect(await visit("/events/7")).toBe("Event 7");
      expect(reload).not.toHaveBeenCalled();
    },
  );

  test.each([[["images b.example"]], [["images a.example", "style_elements true"]]])(
    "of %j needs a document of its own",
    async (policy) => {
      resolveWith(policy);
      void visit("/events/7");
      await vi.waitFor(() => {
        expect(reload).toHaveBeenCalledOnce();
      });
      expect(loadPage).not.toHaveBeenCalled();
    },
  );

  test("that the visitor has left loads no document", async () => {
    resolveWith(["images b.example"]);
    const loading = views.load("/events/7");
    expect(await loading).toEqual({ kind: "failed" });
    expect(reload).not.toHaveBeenCalled();
  });
});

describe("a page with query parameters", () => {
  beforeEach(() => {
    vi.mocked(resolvePage).mockResolvedValue({ ...RESOLVED, search: ["page"] });
    pages["/list"] = { data: ({ search }) => search };
    searchNames.delete("/list");
  });

  const viewAt = (url: string): Promise<unknown> => visit(viewPath(new URL(url, location.origin)));

  test("has a view for each value, without other parameters", async () => {
    expect(await viewAt("/list?utm_source=x&page=2")).toEqual({ page: "2" });
    const second = views.load("/list?page=2");
    expect(await viewAt("/list?page=3")).toEqual({ page: "3" });
    go("/list?page=2&utm_source=y");
    expect(views.load(viewPath(location))).toBe(second);
    expect(resolvePage).toHaveBeenCalledOnce();
  });

  test("is loaded once while its parameters become known", async () => {
    go("/list?utm_source=x");
    const first = views.load(viewPath(location));
    await first;
    expect(viewPath(location)).toBe("/list");
    expect(views.load(viewPath(location))).toBe(first);
  });

  test("that has no such value is not found", async () => {
    vi.mocked(loadPage).mockImplementation(() =>
      Promise.resolve({ page: live as AnyPage, params: {}, search: notFound("No such page") }),
    );
    expect(await viewAt("/list?page=0")).toEqual({ kind: "notFound", heading: "No such page" });
  });
});

describe("a page with queries", () => {
  test("is loaded again on each visit, but not within a visit", async () => {
    pages["/about"] = { data: () => "About" };
    expect(await visit("/events/7")).toEqual({ ok: true, value: "/api/events/7 1" });
    expect(await visit("/events/7")).toEqual({ ok: true, value: "/api/events/7 1" });
    expect(await visit("/about")).toBe("About");
    const about = views.load("/about");
    expect(await visit("/events/7")).toEqual({ ok: true, value: "/api/events/7 2" });
    go("/about");
    // Without queries, a page stays as it is.
    expect(views.load("/about")).toBe(about);
  });

  test("is loaded again once it is invalidated", async () => {
    pages["/about"] = { data: () => "About" };
    await visit("/events/7");
    expect(views.invalidate("/events/7")).toBe(true);
    expect(await visit("/events/7")).toEqual({ ok: true, value: "/api/events/7 2" });
    await visit("/about");
    const about = views.load("/about");
    expect(views.invalidate("/about")).toBe(false);
    expect(views.load("/about")).toBe(about);
  });

  test("that is invalidated while it loads does not follow the redirect of the aborted load", async () => {
    pages["/events/7"] = { ...live, data: ({ results }) => (results?.event?.ok ? "found" : redirect("/about")) };
    fetched.mockImplementationOnce(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reject(new DOMException("aborted", "AbortError"));
          });
        }),
    );
    go("/events/7");
    const aborted = views.load("/events/7");
    await vi.waitFor(() => {
      expect(fetched).toHaveBeenCalledOnce();
    });
    views.invalidate("/events/7");
    expect(await visit("/events/7")).toBe("found");
    await aborted;
    expect(location.pathname).toBe("/events/7");
  });

  test("renders with failed queries", async () => {
    fetched.mockRejectedValue(new TypeError("Failed to fetch"));
    expect(await visit("/events/7")).toEqual({ ok: false, status: 0 });
    expect(report).not.toHaveBeenCalled();
  });

  test("aborts its requests if the visitor goes elsewhere", async () => {
    fetched.mockImplementationOnce(() => new Promise(() => undefined));
    go("/events/7");
    const first = views.load("/events/7");
    await vi.waitFor(() => {
      expect(fetched).toHaveBeenCalledOnce();
    });
    const [, { signal } = { signal: undefined }] = fetched.mock.calls[0] ?? [];
    // The current page renders again while the visitor waits.
    void views.load("/first");
    expect(signal?.aborted).toBe(false);
    expect(views.load("/events/7")).toBe(first);
    await visit("/events/8");
    expect(signal?.aborted).toBe(true);
    expect(await visit("/events/7")).toEqual({ ok: true, value: "/api/events/7 3" });
  });

  test("sends no requests if the visitor has gone elsewhere before its code is loaded", async () => {
    go("/events/7");
    const loading = views.load("/events/7");
    pages["/about"] = { data: () => "About" };
    await Promise.all([loading, visit("/about")]);
    expect(fetched).not.toHaveBeenCalled();
  });

  test("that the server rendered sends no request, and is loaded on return", async () => {
    go("/events/1");
    pages["/about"] = { data: () => "About" };
    views = new ViewLoader(SERVER_BOOT, "/events/1", deployment, go);
    expect((views.serverView("/events/1") as PageView).props.data).toBe("from the server");
    const { Component } = views.serverView("/events/1") as PageView;
    await vi.waitFor(() => {
      expect(views.awaitsHydration("/events/1")).toBe(false);
    });
    expect(await visit("/events/1")).toBe("from the server");
    expect(fetched).not.toHaveBeenCalled();
    // With the same component, it keeps its state.
    expect(views.invalidate("/events/1")).toBe(true);
    expect(views.serverView("/events/1")).toBeUndefined();
    expect(await views.load("/events/1")).toMatchObject({ Component, props: { data: { value: "/api/events/1 1" } } });
    await visit("/about");
    expect(await visit("/events/1")).toEqual({ ok: true, value: "/api/events/1 2" });
  });

  test("is not found only until the next visit", async () => {
    pages["/events/9"] = {
      ...live,
      data: ({ results }) => (results?.event?.ok ? "found" : notFound("Event not found")),
    };
    fetched.mockResolvedValueOnce(new Response(null, { status: 404 }));
    expect(await visit("/events/9")).toEqual({ kind: "notFound", heading: "Event not found" });
    await visit("/events/8");
    expect(await visit("/events/9")).toBe("found");
  });
});

test("a page of a deleted deployment does not reload the document if the visitor has gone elsewhere", async () => {
  const reload = vi.spyOn(deployment, "reload");
  pages["/about"] = { data: () => "About" };
  let reject: ((error: Error) => void) | undefined;
  vi.mocked(resolvePage).mockImplementationOnce(() => new Promise((_, rejectPage) => (reject = rejectPage)));
  go("/events/7");
  const loading = views.load("/events/7");
  await visit("/about");
  reject?.(new DeploymentGoneError());
  expect(await loading).toEqual({ kind: "failed" });
  expect(reload).not.toHaveBeenCalled();
});

test("the code of a server-rendered page is loaded again until it succeeds, or another page is shown", async () => {
  vi.useFakeTimers();
  pages["/about"] = { data: () => "About" };
  const succeed = vi.mocked(loadPage).getMockImplementation() as typeof loadPage;
  const attempt = vi.fn(() => Promise.reject(new TypeError("Failed to fetch")));
  vi.mocked(loadPage).mockImplementation((path, page) => (path === "/events/1" ? attempt() : succeed(path, page)));
  go("/events/1");
  views = new ViewLoader(SERVER_BOOT, "/events/1", deployment, go);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(attempt).toHaveBeenCalledTimes(2);
  // The visitor returns before the next page is shown.
  go("/about");
  await vi.advanceTimersByTimeAsync(2_000);
  go("/events/1");
  expect(attempt).toHaveBeenCalledTimes(3);
  await visit("/about");
  await vi.advanceTimersByTimeAsync(120_000);
  expect(attempt).toHaveBeenCalledTimes(3);
  expect(vi.getTimerCount()).toBe(0);
});

describe("prefetch", () => {
  test("runs the queries of a page that is not loaded", async () => {
    await visit("/events/7");
    views.prefetch("/events/7");
    views.prefetch("/events/8");
    await vi.waitFor(() => {
      expect(fetched.mock.calls.map(([path]) => path)).toEqual(["/api/events/7", "/api/events/8"]);
    });
  });

  test("leaves paths of the open page to its app", async () => {
    vi.mocked(resolvePage).mockResolvedValue({ ...RESOLVED, pattern: "/shop/*" });
    views = new ViewLoader(BOOT, "/first", deployment, go);
    await visit("/shop/lamp");
    vi.mocked(resolvePage).mockClear();
    for (const path of ["/shop/chair?size=2", "/shop", "/shops/lamp"]) views.prefetch(path);
    await vi.waitFor(() => {
      expect(resolvePage).toHaveBeenCalled();
    });
    expect(vi.mocked(resolvePage).mock.calls.map(([, path]) => path)).toEqual(["/shops/lamp"]);
  });

  test("does not follow a redirect", async () => {
    const data = vi.fn(() => redirect("/events/new"));
    pages["/events/old"] = { data };
    views.prefetch("/events/old");
    await vi.waitFor(() => {
      expect(data).toHaveReturned();
    });
    expect(isRedirect(data.mock.results[0]?.value)).toBe(true);
    expect(location.pathname).toBe("/first");
  });
});

describe("a redirect", () => {
  test("replaces the URL, and never resolves", async () => {
    pages["/events/old"] = { data: () => redirect("/events/new?from=old") };
    const resolved = vi.fn();
    go("/events/old");
    void views.load("/events/old").then(resolved);
    await vi.waitFor(() => {
      expect(location.pathname + location.search).toBe("/events/new?from=old");
    });
    expect(await visit("/events/new")).toMatchObject({ ok: true });
    expect(resolved).not.toHaveBeenCalled();
  });

  test("is not followed if the visitor has gone elsewhere", async () => {
    pages["/events/old"] = { data: () => redirect("/events/new") };
    pages["/about"] = { data: () => "About" };
    go("/events/old");
    const loading = views.load("/events/old");
    await visit("/about");
    await loading;
    expect(location.pathname).toBe("/about");
  });

  test("that leads back to itself ends with an error message", async () => {
    const paths = ["/events/a", "/events/b"];
    for (const [index, path] of paths.entries()) pages[path] = { data: () => redirect(paths[1 - index] ?? "") };
    const follow = vi.fn((path: string) => {
      go(path);
      // What the router does.
      void views.load(path).then(settled);
    });
    const settled = vi.fn();
    views = new ViewLoader(BOOT, "/first", deployment, follow);
    go("/events/a");
    void views.load("/events/a").then(settled);
    await vi.waitFor(() => {
      expect(settled).toHaveBeenCalledExactlyOnceWith({ kind: "failed" });
    });
    expect(follow).toHaveBeenCalledTimes(10);
    expect(report).toHaveBeenCalledOnce();
  });
});
