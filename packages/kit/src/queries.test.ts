import * as v from "valibot";
import { expect, expectTypeOf, test } from "vitest";

import { notFound } from "./notFound.js";
import { definePage, type AnyPage, type DataContext, type Page, type QueriesContext } from "./page.js";
import { loadResults, type QueryResult } from "./queries.js";
import { query } from "./query.js";
import { redirect } from "./redirect.js";
import { defineSection } from "./section.js";

const Venue = v.object({ city: v.string(), tickets: v.optional(v.number(), 0) });
type Venue = v.InferOutput<typeof Venue>;

const HEAD = { title: "", description: "", canonical: "/" };

test("results have the names of the queries and the types of their schemas", () => {
  const page = definePage({
    queries: ({ params }) => {
      expectTypeOf(params).toEqualTypeOf<Readonly<Record<string, string>>>();
      return { listings: `/api/listings?state=${params.state ?? ""}`, venue: query("/api/venue", Venue) };
    },
    data: async ({ params, site, results }) => {
      expectTypeOf(results).toEqualTypeOf<{
        readonly listings: QueryResult;
        readonly venue: QueryResult<Venue>;
      }>();
      if (!results.venue.ok) return results.venue.status === 404 ? notFound() : redirect("/");
      await Promise.resolve();
      return { city: results.venue.value.city, state: params.state, day: site.today };
    },
    head: ({ data }) => {
      expectTypeOf(data).toEqualTypeOf<{ city: string; state: string | undefined; day: string }>();
      return HEAD;
    },
    Component: ({ data }) => data.city,
  });
  expectTypeOf(page).toExtend<AnyPage>();
  defineSection({ name: "x", contract: 1, pages: { "/x": () => Promise.resolve({ page }) } });
});

test("a page without queries has no results, as before", () => {
  const page = definePage({
    data: ({ params, ...context }) => {
      expectTypeOf(context).toEqualTypeOf<{ site: QueriesContext["site"] }>();
      return params;
    },
    head: ({ data }) => ({ ...HEAD, title: data.x ?? "" }),
    Component: () => null,
  });
  expectTypeOf(page).toEqualTypeOf<Page<Readonly<Record<string, string>>>>();
  expectTypeOf(page).toExtend<AnyPage>();
  expectTypeOf<Parameters<typeof page.data>[0]>().toEqualTypeOf<DataContext>();
  // @ts-expect-error -- without queries
  definePage({ data: ({ results }) => Boolean(results), head: () => HEAD, Component: () => null });
  definePage<{ name: string }>({ data: () => ({ name: "x" }), head: () => HEAD, Component: () => null });
});

test("queries run in parallel, and their values become those of the schema", async () => {
  const started: string[] = [];
  let answer: (result: QueryResult) => void = () => undefined;
  const pending = new Promise<QueryResult>((resolve) => {
    answer = resolve;
  });
  const loading = loadResults({ listings: "/api/listings", venue: query("/api/venue", Venue) }, (path, name) => {
    started.push(`${name} ${path}`);
    return pending;
  });
  expect(started).toEqual(["listings /api/listings", "venue /api/venue"]);
  answer({ ok: true, value: { city: "Austin" } });
  expect(await loading).toEqual({
    listings: { ok: true, value: { city: "Austin" } },
    venue: { ok: true, value: { city: "Austin", tickets: 0 } },
  });
});

test("a value that does not fit is a failure, also for an asynchronous schema", async () => {
  const schema = v.objectAsync({
    city: v.pipeAsync(
      v.string(),
      v.checkAsync((city) => Promise.resolve(city !== "")),
    ),
  });
  const load = (value: unknown): Promise<unknown> =>
    loadResults({ venue: query("/api/venue", schema) }, () => ({ ok: true, value }));
  expect(await load({ city: "" })).toEqual({ venue: { ok: false, status: 502 } });
  expect(await load({ city: "Austin" })).toEqual({ venue: { ok: true, value: { city: "Austin" } } });
});

test("a failure is not validated", async () => {
  const failed = { ok: false, status: 503 } as const;
  expect(await loadResults({ venue: query("/api/venue", Venue) }, () => failed)).toEqual({ venue: failed });
});
