import { CONTRACT, definePage, defineSection, isNotFound } from "@colonnade/kit";
import { inShell, loadData, renderPage } from "@colonnade/kit/testing";
import { cleanup, render } from "@testing-library/react";
import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import * as v from "valibot";
import { afterEach, expect, expectTypeOf, test, vi } from "vitest";

import { defineSearch, useSearch } from "./index.js";

const search = defineSearch({
  page: v.optional(v.pipe(v.number(), v.minValue(1)), 1),
  sort: v.optional(v.picklist(["date", "name"])),
});

function Next(): ReactElement {
  const { page, sort } = useSearch(search);
  return (
    <search.Link to="/events" search={{ page: page + 1, sort }} rel="next">
      Next of {page}
    </search.Link>
  );
}

const page = definePage({
  search,
  queries: ({ search: { page } }) => ({ list: `/api/events?page=${String(page)}` }),
  data: ({ search, results }) => {
    expectTypeOf(search.page).toEqualTypeOf<number>();
    expectTypeOf(search.sort).toEqualTypeOf<"date" | "name" | undefined>();
    return { page: search.page, list: results.list };
  },
  head: ({ search }) => ({ title: `Page ${String(search.page)}`, description: "", canonical: search.sort ?? "/" }),
  Component: Next,
});

const section = defineSection({
  name: "events",
  contract: CONTRACT,
  pages: { "/events": () => Promise.resolve({ page }) },
});

afterEach(cleanup);

test("a page gets what it declares of the query", async () => {
  const shown = await renderPage(section, "/events?sort=name&utm_source=x&page=2", {
    results: { list: { ok: true, value: [] } },
  });
  if (isNotFound(shown)) throw new Error("not found");
  expect(shown.data).toEqual({ page: 2, list: { ok: true, value: [] } });
  expect(shown.head).toMatchObject({ title: "Page 2", canonical: "name" });
  const link = shown.getByRole("link", { name: "Next of 2" });
  expect(link.outerHTML).toBe('<a href="/events?page=3&amp;sort=name" rel="next">Next of 2</a>');
});

test("a link on the server has the href of the browser, without defaults", () => {
  const link = (
    <search.Link to="/events" search={{ sort: "date", page: 1 }}>
      By date
    </search.Link>
  );
  expect(renderToStaticMarkup(link)).toBe('<a href="/events?sort=date">By date</a>');
  expect(render(link).container.innerHTML).toBe(renderToStaticMarkup(link));
});

test("a page without a query gets the defaults", async () => {
  expect(await loadData(section, "/events")).toMatchObject({ page: 1 });
});

test("a page that rejects the query is not found", async () => {
  expect(isNotFound(await loadData(section, "/events?page=0"))).toBe(true);
  expect(isNotFound(await renderPage(section, "/events?page=1&page=2"))).toBe(true);
});

test("a hook on a page without parameters names them", () => {
  vi.spyOn(console, "error").mockReturnValue();
  expect(() => render(inShell(<Next />))).toThrow("useSearch() was called on a page without the parameters page, sort");
  vi.restoreAllMocks();
});
