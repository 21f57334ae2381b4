// @vitest-environment node
// Without a document, as in the gateway's sandbox.
import { definePage, defineSection, notFound, useSite, type AnyPage, type Section } from "@colonnade/kit";
import { TEST_SITE } from "@colonnade/kit/testing";
import { lazy, Suspense } from "react";
import { describe, expect, test } from "vitest";

import { render, type Rendered } from "./server";

const PATTERN = "/greeting/:name";

interface Greeting {
  readonly name: string;
}

const greeting = definePage<Greeting>({
  data: ({ params: { name = "" } }) => (name === "nobody" ? notFound("Nobody here") : { name }),
  head: ({ data, site }) => ({
    title: `${data.name} - ${site.brand}`,
    description: "A greeting",
    canonical: `/greeting/${encodeURIComponent(data.name)}`,
    robots: "noindex",
  }),
  layout: ({ data }) => (data.name === "plain" ? { header: "plain" as const } : {}),
  Component: ({ data, form }) => (
    <>
      <h1>Hello, {data.name}</h1>
      {form && <p role="alert">{`${form.error} ${form.email}`}</p>}
    </>
  ),
});

function sectionOf(page: unknown): Section {
  return defineSection({
    name: "greeting",
    contract: 1,
    pages: { [PATTERN]: () => Promise.resolve({ page: page as AnyPage }) },
  });
}

function renderAt(path: string, page: unknown = greeting, more: object = {}): Promise<Rendered> {
  return render(sectionOf(page), { path, page: { section: "greeting", pattern: PATTERN }, site: TEST_SITE, ...more });
}

describe("a page that exists", () => {
  test("is there with its frame, its head, and the view that a browser goes on from", async () => {
    const { html, ...rest } = await renderAt("/greeting/M%C4%81ui%20%26%20co");
    expect(html.replaceAll("<!-- -->", "")).toContain("<h1>Hello, Māui &amp; co</h1>");
    expect(html).toContain("<header");
    expect(html).toContain("<footer");
    const head = {
      title: "Māui & co - Test Directory",
      description: "A greeting",
      canonical: "/greeting/M%C4%81ui%20%26%20co",
      robots: "noindex",
    };
    expect(rest).toEqual({
      status: 200,
      head,
      view: {
        kind: "page",
        data: { name: "Māui & co" },
        head,
        layout: { header: "menu", footerNote: "18+ only" },
      },
      readsToday: false,
    });
  });

  test("chooses its layout", async () => {
    const { html, view } = await renderAt("/greeting/plain");
    expect(view).toMatchObject({ layout: { header: "plain", footerNote: "18+ only" } });
    expect(html).toContain('data-variant="plain"');
  });

  test("shows the answer to a form post, which is no part of the view", async () => {
    const form = { page: "/greeting/x", error: "Already registered.", email: "somebody@site.example" };
    const { html, view } = await renderAt("/greeting/x", greeting, { form });
    expect(html).toContain('<p role="alert">Already registered. somebody@site.example</p>');
    expect(JSON.stringify(view)).not.toContain("somebody");
  });

  test("has no data, or any that JSON leaves as it is", async () => {
    for (const data of [undefined, null, "x", { list: [1, -0.5, true, null, "", [], {}] }]) {
      const page = definePage<unknown>({ ...greetingOf("x"), data: () => data });
      expect((await renderAt("/greeting/x", page)).view).toMatchObject({ kind: "page", data });
    }
  });

  test.each([
    ["data", definePage<string>({ ...greetingOf("x"), data: ({ site }) => site.today })],
    ["its head", definePage<string>({ ...greetingOf("x"), head: ({ site }) => ({ ...HEAD, title: site.today }) })],
    ["what is drawn", definePage<string>({ ...greetingOf("x"), Component: () => <h1>{useSite().today}</h1> })],
  ])("is good for the day alone where %s has read the day", async (_, page) => {
    expect((await renderAt("/greeting/x", page)).readsToday).toBe(true);
  });
});

const HEAD = { title: "A page", description: "About it", canonical: "/greeting/x" };

/** The parts of a page that always says the same. */
function greetingOf(data: string) {
  return { data: (): string => data, head: () => HEAD, Component: () => <h1>A page</h1> };
}

describe("what does not exist", () => {
  test("is a page's own words, for no search engine, with 404", async () => {
    const { html, ...rest } = await renderAt("/greeting/nobody");
    expect(html).toContain("Nobody here</h1>");
    expect(rest).toEqual({
      status: 404,
      head: { title: "Nobody here - Test Directory", robots: "noindex" },
      view: { kind: "notFound", heading: "Nobody here" },
      readsToday: false,
    });
  });

  test("is the shell's own screen on a path that no page matches", async () => {
    const rendered = await render(null, { path: "/nowhere", page: null, site: TEST_SITE });
    expect(rendered).toMatchObject({ status: 404, view: { kind: "notFound", heading: "Page not found" } });
    expect(rendered.html).toContain("Page not found</h1>");
  });
});

describe("a page that fails is no page", () => {
  const thrown = (): never => {
    throw new Error("a fault of this page");
  };

  test.each([
    ["data", { ...greetingOf("x"), data: thrown }],
    ["head", { ...greetingOf("x"), head: thrown }],
    ["layout", { ...greetingOf("x"), layout: thrown }],
  ])("where its %s throws", async (_, page) => {
    await expect(renderAt("/greeting/x", page)).rejects.toThrow("a fault of this page");
  });

  const cycle: Record<string, unknown> = {};
  cycle.itself = cycle;

  test.each([
    ["a date", { cities: [{ name: "x" }, { name: "y", updated: new Date(0) }] }, "data.cities[1].updated is a Date"],
    ["a key that is undefined", { name: undefined }, "data.name is undefined"],
    ["an item that is undefined", ["x", undefined], "data[1] is undefined"],
    ["no number", { age: NaN }, "data.age is NaN"],
    ["a number without end", -Infinity, "data is -Infinity"],
    ["a function", { name: () => "x" }, "data.name is a function"],
    ["a map", new Map([["name", "x"]]), "data is a Map"],
    ["a bigint", [7n], "data[0] is a bigint"],
    ["itself", cycle, "is nested too deeply, or within itself"],
  ])("where its data holds %s, which JSON would change", async (_, data, problem) => {
    const page = definePage<unknown>({ ...greetingOf("x"), data: () => data });
    const error: unknown = await renderAt("/greeting/x", page).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(
      `the data of the page "${PATTERN}" of the section "greeting" does not survive JSON`,
    );
    expect(String(error)).toContain(problem);
  });

  // React itself would leave it to the browser without a word.
  test("where it throws while it is drawn", async () => {
    const page = { ...greetingOf("x"), Component: thrown };
    await expect(renderAt("/greeting/x", page)).rejects.toThrow("the page at /greeting/x threw while it was rendered");
  });

  test("where something within a boundary of its own throws, or waits for what never comes", async () => {
    const Thrown = (): never => thrown();
    const Never = lazy(() => new Promise<{ default: () => null }>(() => undefined));
    for (const Inner of [Thrown, Never]) {
      const Component = () => (
        <Suspense fallback="Loading">
          <Inner />
        </Suspense>
      );
      await expect(renderAt("/greeting/x", { ...greetingOf("x"), Component })).rejects.toThrow(
        "threw while it was rendered",
      );
    }
  });

  test("where the section's module exports no section, or has no such page", async () => {
    const page = { section: "greeting", pattern: PATTERN };
    await expect(render(null, { path: "/greeting/x", page, site: TEST_SITE })).rejects.toThrow(
      'the server module of the section "greeting" exports no section',
    );
    await expect(
      render(sectionOf(greeting), { path: "/other", page: { ...page, pattern: "/other" }, site: TEST_SITE }),
    ).rejects.toThrow('the section "greeting" has no page "/other" for /other');
    await expect(render(sectionOf(greeting), { path: "/other", page, site: TEST_SITE })).rejects.toThrow(
      `the section "greeting" has no page "${PATTERN}" for /other`,
    );
  });
});
