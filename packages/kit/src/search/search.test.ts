import { readFileSync } from "node:fs";
import path from "node:path";

import { isNotFound } from "@colonnade/kit";
import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";

import { defineSearch } from "./index.js";

// The test of `search.rs` reads the same table.
const TABLE = path.resolve(import.meta.dirname, "../../../../tests/tables/search.json");
const { names, queries } = JSON.parse(readFileSync(TABLE, "utf8")) as {
  readonly names: readonly string[];
  readonly queries: readonly { readonly query: string; readonly canonical: string | null }[];
};

describe("a query", () => {
  const texts = defineSearch(Object.fromEntries(names.map((name) => [name, v.optional(v.string())])));

  // The shell and the gateway pass only parameters with a value whose names the page declares.
  test.each(queries.filter(({ query }) => !["%70age=2", "page"].includes(query)))(
    "of the gateway's table is read as its canonical form: $query",
    async ({ query, canonical }) => {
      const values = await texts.read(`/a?${query}`);
      expect(isNotFound(values)).toBe(canonical === null);
      if (isNotFound(values)) return;
      expect(values).toEqual(await texts.read(`/a?${String(canonical)}`));
      expect(texts.path("/a", values)).toBe(canonical === "" ? "/a" : `/a?${String(canonical)}`);
    },
  );
});

describe("a schema", () => {
  const search = defineSearch({
    page: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
    sort: v.fallback(v.optional(v.picklist(["date", "name"]), "date"), "date"),
    size: v.fallback(v.number(), 20),
    q: v.optional(v.string()),
    all: v.optional(v.boolean()),
    kind: v.optional(v.pipe(v.string(), v.toUpperCase())),
  });

  const DEFAULTS = { page: 1, sort: "date", size: 20 };

  test.each([
    ["", {}],
    ["page=2", { page: 2 }],
    ["sort=name", { sort: "name" }],
    ["sort=price", {}],
    ["size=50", { size: 50 }],
    ["size=many", {}],
    ["q=2", { q: "2" }],
    ["q=", { q: "" }],
    ["q=true", { q: "true" }],
    ["all=true", { all: true }],
    ["kind=a", { kind: "A" }],
  ])("reads %j", async (query, values) => {
    expect(await search.read(`/a?${query}`)).toEqual({ ...DEFAULTS, ...values });
  });

  test.each(["page=0", "page=x", "page=", "page=1.5", "page=01", "page=1e0", "page=%202", "all=yes", "all="])(
    "that rejects %j has no page",
    async (query) => {
      expect(isNotFound(await search.read(`/a?${query}`))).toBe(true);
    },
  );

  test("without a default makes the parameter necessary", async () => {
    const needed = defineSearch({ q: v.string() });
    expect(isNotFound(await needed.read("/a"))).toBe(true);
    expect(await needed.read("/a?q=a")).toEqual({ q: "a" });
  });

  test("of another library can be asynchronous", async () => {
    const even = defineSearch({
      page: {
        "~standard": {
          version: 1,
          vendor: "test",
          validate: (value) =>
            Promise.resolve(Number(value) % 2 === 0 ? { value } : { issues: [{ message: "is not even" }] }),
        },
      },
    });
    expect(await even.read("/a?page=4")).toEqual({ page: "4" });
    expect(isNotFound(await even.read("/a?page=3"))).toBe(true);
  });
});

const listed = defineSearch({ page: v.optional(v.number(), 1), q: v.optional(v.string()), size: v.number() });

test("a path leaves out values that are undefined, or the default", () => {
  expect(listed.path("/events", { q: "a&b", page: 2, size: 5 })).toBe("/events?page=2&q=a%26b&size=5");
  expect(listed.path("/events", { q: undefined, page: 1, size: 1 })).toBe("/events?size=1");
});

test("a path leaves out the default of a text that is written as a number", () => {
  const texts = defineSearch({ q: v.optional(v.string(), "2"), on: v.optional(v.string()) });
  expect(texts.path("/events?q=2", { on: "undefined" })).toBe("/events?on=undefined");
});

test("a path keeps its fragment", () => {
  expect(listed.path("/events#list?", { page: 2, size: 5 })).toBe("/events?page=2&size=5#list?");
});

test.each([
  ["/events?page=2#list", { size: 5 }, "/events?page=2&size=5#list"],
  ["/events?size=9&page=2&q=a", { page: 3, q: undefined, size: 5 }, "/events?page=3&size=5"],
  ["/events?utm_source=x&page=1&constructor=y&q=a+b", { size: 5 }, "/events?q=a%20b&size=5"],
  ["/events?", { size: 5 }, "/events?size=5"],
])("values replace those of the query of %s", (path, values, expected) => {
  expect(listed.path(path, values)).toBe(expected);
});

test("a text that is cut within a character has a path", () => {
  expect(listed.path("/events", { q: "a😀".slice(0, 2), size: 5 })).toBe("/events?q=a%EF%BF%BD&size=5");
});

test("values have the types of the schemas, and the necessary ones", () => {
  interface Values {
    readonly page?: number | undefined;
    readonly q?: string | undefined;
    readonly size: number;
  }
  expectTypeOf<Simplified<Parameters<typeof listed.path>[1]>>().toEqualTypeOf<Values>();
  expectTypeOf<Simplified<Parameters<typeof listed.Link>[0]["search"]>>().toEqualTypeOf<Values>();
});

type Simplified<T> = { [Name in keyof T]: T[Name] };
