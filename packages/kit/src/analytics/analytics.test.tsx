import { act, cleanup, render } from "@testing-library/react";
import { StrictMode, type ReactElement } from "react";
import { renderToString } from "react-dom/server";
import { MemoryRouter, useLocation, useNavigate, type NavigateFunction } from "react-router-dom";
import { afterEach, expect, test, vi } from "vitest";

import { matchPath } from "@colonnade/kit";
import { PageContext, type PageServices } from "@colonnade/kit/shell";
import { renderPage } from "@colonnade/kit/testing";
import { usePageView, type PageView } from "./index.js";

const report = vi.fn<(view: PageView) => void>();

afterEach(() => {
  cleanup();
  report.mockReset();
});

let navigate: NavigateFunction;

/** A frame, which stays while the page changes. */
function Frame(): null {
  void (navigate = useNavigate());
  usePageView((view) => {
    report(view);
  });
  return null;
}

function site(page: PageServices, path = "/events/7"): ReactElement {
  return (
    <StrictMode>
      <MemoryRouter initialEntries={[path]}>
        <PageContext value={page}>
          <Frame />
        </PageContext>
      </MemoryRouter>
    </StrictMode>
  );
}

/** The reported views since the last call. */
function reported(): PageView[] {
  return report.mock.calls.splice(0).map(([view]) => view);
}

/** A page at each path that its pattern matches, as the shell gives it. */
function Page({ pattern }: { readonly pattern: string }): ReactElement {
  const { pathname } = useLocation();
  const params = matchPath(pattern, pathname);
  return (
    <PageContext value={params ? { pattern, params } : { pattern: null, params: {} }}>
      <Frame />
    </PageContext>
  );
}

async function expectViews(
  steps: readonly (readonly [to: string | number, views: readonly PageView[]])[],
): Promise<void> {
  for (const [to, views] of steps) {
    await act(async () => {
      await (typeof to === "number" ? navigate(to) : navigate(to));
    });
    expect([to, reported()]).toEqual([to, views]);
  }
}

function renderPattern(pattern: string, path: string): void {
  render(
    <StrictMode>
      <MemoryRouter initialEntries={[path]}>
        <Page pattern={pattern} />
      </MemoryRouter>
    </StrictMode>,
  );
}

const EVENT = { pattern: "/events/:id", params: { id: "7" } };
const VIEW = { pattern: "/events/:id", search: {} };

test("a view is reported once by its pattern", () => {
  const { rerender } = render(site(EVENT));
  rerender(site({ ...EVENT }));
  expect(reported()).toEqual([VIEW]);
});

test("each navigation to another path is a view, Back too", async () => {
  renderPattern("/events/:id", "/events/7");
  reported();
  await expectViews([
    ["/events/8", [VIEW]],
    ["/events/8#map", []],
    ["/events/8?utm_source=a", []],
    [-1, []],
    [-1, []],
    [-1, [VIEW]],
    [1, [VIEW]],
  ]);
});

test("an app with a router of its own is one view until it is left", async () => {
  const shop = { pattern: "/shops/:city/*", search: {} };
  renderPattern(shop.pattern, "/shops/a/tea");
  expect(reported()).toEqual([shop]);
  await expectViews([
    ["/shops/a/tea/7", []],
    ["/shops/a", []],
    [-1, []],
    [1, []],
    ["/shops/b", [shop]],
    ["/other", [{ pattern: null, search: {} }]],
    ["/another", [{ pattern: null, search: {} }]],
    [-1, [{ pattern: null, search: {} }]],
    [-1, [shop]],
  ]);
});

test("another value of a declared query parameter is a view", () => {
  const { rerender } = render(site({ ...EVENT, search: { page: 1 } }));
  rerender(site({ ...EVENT, search: { page: 1 } }));
  rerender(site({ ...EVENT, search: { page: 2 } }));
  expect(reported().map(({ search }) => search)).toEqual([{ page: 1 }, { page: 2 }]);
});

test("a path without a page is a view, and a page that loads is none yet", () => {
  const { rerender } = render(site({ params: {} }));
  expect(reported()).toEqual([]);
  rerender(site({ pattern: null, params: {} }));
  expect(reported()).toEqual([{ pattern: null, search: {} }]);
});

test("the server reports nothing", () => {
  expect(renderToString(site(EVENT))).toBe("");
  expect(reported()).toEqual([]);
});

test("a page reports its views", async () => {
  const Component = (): ReactElement => {
    usePageView(report);
    return <h1>Event</h1>;
  };
  const page = { data: () => null, head: () => ({ title: "", description: "", canonical: "/" }), Component };
  const section = { name: "events", contract: 1, pages: { "/events/:id": () => Promise.resolve({ page }) } } as const;
  await renderPage(section, "/events/7?a=b");
  expect(reported()).toEqual([VIEW]);
});
