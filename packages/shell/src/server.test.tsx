// @vitest-environment node
// Without a DOM, as in the gateway's sandbox.
import {
  definePage,
  defineSection,
  notFound,
  query,
  redirect,
  useConfig,
  useSite,
  type AnyPage,
  type Section,
} from "@colonnade/kit";
import { defineExtension, defineExtensionPoint, ExtensionPoint, type AnyExtension } from "@colonnade/kit/extensions";
import type { ExtensionResult, Rendered, RenderResult } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { lazy, Suspense, useId, type ReactNode } from "react";
import * as v from "valibot";
import { describe, expect, test } from "vitest";

import { PARTS } from "./fixtures.js";
import type { FrameProps } from "./parts.js";
import { createRender } from "./server.js";

const render = createRender(PARTS);

const PATTERN = "/greeting/:name";

interface Greeting {
  readonly name: string;
}

const WAY_ON = { text: "Nobody has this name.", link: { label: "All names", path: "/names" } };

const greeting = definePage<Greeting>({
  data: ({ params: { name = "" } }) => (name === "unknown" ? notFound("Name not found", WAY_ON) : { name }),
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
      {form && <p role="alert">{`${form.message} ${String(form.values.email)}`}</p>}
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

function resultAt(path: string, page: unknown = greeting, more: object = {}): Promise<RenderResult> {
  return render(sectionOf(page), { path, page: { section: "greeting", pattern: PATTERN }, site: TEST_SITE, ...more });
}

async function renderAt(path: string, page: unknown = greeting, more: object = {}): Promise<Rendered> {
  return (await resultAt(path, page, more)) as Rendered;
}

describe("an existing page", () => {
  test("renders with frame, head, and the view to hydrate from", async () => {
    const { html, ...rest } = await renderAt("/greeting/M%C4%81ui%20%26%20co");
    expect(html.replaceAll("<!-- -->", "")).toContain("<h1>Hello, Māui &amp; co</h1>");
    expect(html).toContain("<header");
    expect(html).toContain("<footer");
    const head = {
      title: "Māui & co - Test Site",
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
        layout: {},
      },
      readsToday: false,
    });
  });

  test("sets its layout", async () => {
    const { html, view } = await renderAt("/greeting/plain");
    expect(view).toMatchObject({ layout: { header: "plain" } });
    expect(html).toContain('<header data-layout="{&quot;header&quot;:&quot;plain&quot;}"');
  });

  test("reads the configuration of its section, if there is one", async () => {
    const page = {
      ...greetingOf("x"),
      Component: () => <h1>{`Call ${useConfig<{ readonly phone?: string }>().phone ?? "nobody"}`}</h1>,
    };
    expect((await renderAt("/greeting/x", page, { config: { phone: "555" } })).html).toContain("Call 555");
    expect((await renderAt("/greeting/x", page)).html).toContain("Call nobody");
  });

  test("shows the result of a form post outside the view", async () => {
    const form = { message: "Already registered.", values: { email: "visitor@site.example" } };
    const { html, view } = await renderAt("/greeting/x", greeting, { form });
    expect(html).toContain('<p role="alert">Already registered. visitor@site.example</p>');
    expect(JSON.stringify(view)).not.toContain("visitor");
  });

  test("may have no data, or any data that JSON preserves", async () => {
    for (const data of [undefined, null, "x", { list: [1, -0.5, true, null, "", [], {}] }]) {
      const page = definePage<unknown>({ ...greetingOf("x"), data: () => data });
      expect((await renderAt("/greeting/x", page)).view).toMatchObject({ kind: "page", data });
    }
  });

  test.each([
    ["its data", definePage<string>({ ...greetingOf("x"), data: ({ site }) => site.today })],
    ["its head", definePage<string>({ ...greetingOf("x"), head: ({ site }) => ({ ...HEAD, title: site.today }) })],
    ["its component", definePage<string>({ ...greetingOf("x"), Component: () => <h1>{useSite().today}</h1> })],
  ])("is cached for one day if %s reads the date", async (_, page) => {
    expect((await renderAt("/greeting/x", page)).readsToday).toBe(true);
  });
});

const HEAD = { title: "A page", description: "About it", canonical: "/greeting/x" };

/** The parts of a static page. */
function greetingOf(data: string) {
  return { data: (): string => data, head: () => HEAD, Component: () => <h1>A page</h1> };
}

describe("a page with queries", () => {
  const listings = definePage({
    queries: ({ params, site }) => ({
      listings: `/api/listings?name=${params.name ?? ""}&day=${site.today}`,
      venue: query("/api/venue", v.object({ city: v.string() })),
    }),
    data: ({ results: { listings, venue } }) => {
      if (!listings.ok && listings.status === 404) return notFound("Name not found");
      if (venue.ok && venue.value.city === "Moved") return redirect("/greeting/new?from=old");
      return { listings, venue };
    },
    head: () => HEAD,
    Component: ({ data }) => <h1>{data.venue.ok ? data.venue.value.city : `failed: ${String(data.venue.status)}`}</h1>,
  });
  const ok = (value: unknown): object => ({ ok: true, value });
  const failed = (status: number): object => ({ ok: false, status });

  test("without results, render returns its queries", async () => {
    expect(await resultAt("/greeting/x", listings)).toEqual({
      queries: { listings: "/api/listings?name=x&day=2026-01-31", venue: "/api/venue" },
      readsToday: true,
    });
  });

  test("with results, it renders, and its data is that of the view", async () => {
    const results = { listings: ok([1]), venue: ok({ city: "Austin" }) };
    const { html, view } = await renderAt("/greeting/x", listings, { results });
    expect(html).toContain("<h1>Austin</h1>");
    expect(view).toMatchObject({ kind: "page", data: results });
  });

  test.each([
    ["has failed", failed(503), "failed: 503", undefined],
    ["does not fit the schema", ok({ city: 5 }), "failed: 502", ["venue"]],
    ["is missing", undefined, "failed: 504", undefined],
  ])("it renders if a result %s", async (_, venue, text, expected) => {
    const results = { listings: ok([]), venue };
    const { html, view, invalid } = await renderAt("/greeting/x", listings, { results });
    expect(invalid).toEqual(expected);
    expect(html.replaceAll("<!-- -->", "")).toContain(`<h1>${text}</h1>`);
    expect(view).toMatchObject({ kind: "page", data: { venue: { ok: false } } });
  });

  test("it can be not found because of a result", async () => {
    const results = { listings: failed(404), venue: ok(null) };
    const rendered = await renderAt("/greeting/x", listings, { results });
    expect(rendered).toMatchObject({ status: 404, view: { kind: "notFound", heading: "Name not found" } });
    expect(rendered.invalid).toEqual(["venue"]);
  });

  test("it can redirect because of a result", async () => {
    const results = { listings: ok([]), venue: ok({ city: "Moved" }) };
    expect(await resultAt("/greeting/x", listings, { results })).toEqual({
      status: 307,
      location: "/greeting/new?from=old",
      readsToday: true,
    });
  });

  test.each(["//other.example", "/a/../b", "/a%5Cb", "/a?<b>"])("it does not redirect to %s", async (path) => {
    // Another tool than the kit can create it.
    const data = { path, [Symbol.for("colonnade.redirect")]: true };
    await expect(resultAt("/greeting/x", { ...greetingOf("x"), data: () => data })).rejects.toThrow(
      `redirects to ${JSON.stringify(path)}; expected a percent-encoded path of this site`,
    );
  });

  test("it renders at once if its queries are empty", async () => {
    const page = { ...greetingOf("x"), queries: () => ({}) };
    expect(await resultAt("/greeting/x", page)).toMatchObject({ status: 200 });
  });

  test.each([
    ["no object", [], "is not an object"],
    ["nine queries", Object.fromEntries(Array.from("123456789", (name) => [name, "/api/x"])), "has 9 queries"],
    ["a path outside of /api/", { x: "/greeting/x" }, '"/greeting/x" of the query "x"'],
    ["another host", { x: "//api.example/api/x" }, '"//api.example/api/x"'],
    ["dot segments", { x: "/api/%2e%2e/x" }, '"/api/%2e%2e/x"'],
    ["a space", { x: "/api/x?q=a b" }, '"/api/x?q=a b"'],
    ["a fragment", { x: "/api/x#y" }, '"/api/x#y"'],
    ["an encoded backslash", { x: "/api/a%5cb" }, '"/api/a%5cb"'],
    ["only the prefix", { x: "/api/" }, '"/api/"'],
    ["a long path", { x: `/api/${"x".repeat(2048)}` }, "expected a path below /api/"],
    ["an empty name", { "": "/api/x" }, 'has the name ""'],
    ["a number", { x: 1 }, 'has no query "x"'],
  ])("its queries are rejected if they are or have %s", async (_, queries, problem) => {
    const error: unknown = await resultAt("/greeting/x", { ...greetingOf("x"), queries: () => queries }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).toContain(`queries() of the page "${PATTERN}" of the section "greeting" at /greeting/x`);
    expect(String(error)).toContain(problem);
  });
});

const suspending = (children: ReactNode) => <Suspense fallback="Loading">{children}</Suspense>;
const Never = lazy(() => new Promise<{ default: () => null }>(() => undefined));

describe("a Suspense boundary", () => {
  test("renders its lazy component, also a nested one", async () => {
    const Inner = lazy(() => Promise.resolve({ default: () => <p>inner</p> }));
    const Outer = lazy(() => Promise.resolve({ default: () => suspending(<Inner />) }));
    const { html } = await renderAt("/greeting/x", { ...greetingOf("x"), Component: () => suspending(<Outer />) });
    expect(html).toContain("<p>inner</p>");
    expect(html).not.toContain("Loading");
  });

  test("keeps its fallback if its content stays pending", async () => {
    const page = { ...greetingOf("x"), Component: () => suspending(<Never />) };
    expect((await renderAt("/greeting/x", page)).html).toMatch(
      /<!--\$!--><template data-dgst="suspended"[^>]*><\/template>Loading<!--\/\$-->/,
    );
  });
});

describe("a page that does not exist", () => {
  test("renders the page's own heading, with status 404 and noindex", async () => {
    const { html, ...rest } = await renderAt("/greeting/unknown");
    expect(html).toContain("Name not found</h1>");
    expect(rest).toEqual({
      status: 404,
      head: { title: "Name not found - Test Site", robots: "noindex" },
      view: { kind: "notFound", heading: "Name not found", ...WAY_ON },
      readsToday: false,
    });
  });

  test("renders the shell's not-found page for an unknown path", async () => {
    const rendered = (await render(null, { path: "/nowhere", page: null, site: TEST_SITE })) as Rendered;
    expect(rendered).toMatchObject({ status: 404, view: { kind: "notFound" } });
    expect(rendered.html).toContain("Page not found</h1>");
  });
});

describe("render rejects", () => {
  const thrown = (): never => {
    throw new Error("the page threw");
  };

  test.each([
    ["data", { ...greetingOf("x"), data: thrown }],
    ["head", { ...greetingOf("x"), head: thrown }],
    ["layout", { ...greetingOf("x"), layout: thrown }],
  ])("if the page's %s throws", async (_, page) => {
    await expect(renderAt("/greeting/x", page)).rejects.toThrow("the page threw");
  });

  const cycle: Record<string, unknown> = {};
  cycle.itself = cycle;

  test.each([
    ["a date", { cities: [{ name: "x" }, { name: "y", updated: new Date(0) }] }, "data.cities[1].updated is a Date"],
    ["an undefined property", { name: undefined }, "data.name is undefined"],
    ["an undefined item", ["x", undefined], "data[1] is undefined"],
    ["NaN", { age: NaN }, "data.age is NaN"],
    ["infinity", -Infinity, "data is -Infinity"],
    ["a function", { name: () => "x" }, "data.name is a function"],
    ["a map", new Map([["name", "x"]]), "data is a Map"],
    ["a bigint", [7n], "data[0] is a bigint"],
    ["a cycle", cycle, "is cyclic or nested too deeply"],
  ])("if the page's data contains %s, which JSON would change", async (_, data, problem) => {
    const page = definePage<unknown>({ ...greetingOf("x"), data: () => data });
    const error: unknown = await renderAt("/greeting/x", page).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(
      `the data of the page "${PATTERN}" of the section "greeting" at /greeting/x does not survive JSON`,
    );
    expect(String(error)).toContain(problem);
  });

  // React itself would leave it to the browser, without an error.
  test("if the page's component throws, with the error itself", async () => {
    const page = { ...greetingOf("x"), Component: thrown };
    await expect(renderAt("/greeting/x", page)).rejects.toThrow("the page threw");
  });

  test("if a component inside a Suspense boundary throws", async () => {
    const Thrown = (): never => thrown();
    const Lazy = lazy(() => Promise.resolve({ default: Thrown }));
    for (const Inner of [Thrown, Lazy]) {
      const page = { ...greetingOf("x"), Component: () => suspending(<Inner />) };
      await expect(renderAt("/greeting/x", page)).rejects.toThrow("the page threw");
    }
  });

  test("if the whole page suspends", async () => {
    const page = { ...greetingOf("x"), Component: () => <Never /> };
    await expect(renderAt("/greeting/x", page)).rejects.toThrow("outside of its own Suspense boundaries");
  });

  test("if the module does not export a section or the page", async () => {
    const page = { section: "greeting", pattern: PATTERN };
    await expect(render(null, { path: "/greeting/x", page, site: TEST_SITE })).rejects.toThrow(
      'the server module of the section "greeting" does not export a section',
    );
    await expect(
      render(sectionOf(greeting), { path: "/other", page: { ...page, pattern: "/other" }, site: TEST_SITE }),
    ).rejects.toThrow('the section "greeting" has no page "/other" for /other');
    await expect(render(sectionOf(greeting), { path: "/other", page, site: TEST_SITE })).rejects.toThrow(
      `the section "greeting" has no page "${PATTERN}" for /other`,
    );
  });
});

const ASIDE = defineExtensionPoint<{ name: string }>({
  id: "greeting/aside",
  version: 1,
  max: 4,
  examples: [{ name: "Māui" }],
});

const withPoint = (more: object = {}): AnyPage => ({
  ...greeting,
  extensionPoints: [ASIDE],
  Component: ({ data }: { data: Greeting }) => (
    <section>
      <ExtensionPoint point={ASIDE} props={{ name: data.name }} empty={<p>Nobody else greets.</p>} />
    </section>
  ),
  ...more,
});

describe("a page with an extension point", () => {
  test("renders its place, and says the props", async () => {
    const { html, points } = await renderAt("/greeting/x", withPoint());
    expect(html).toContain(
      '<section><div data-extension-point="greeting/aside@1"></div>' +
        '<div data-extension-empty=""><p>Nobody else greets.</p></div></section>',
    );
    expect(points).toEqual({ "greeting/aside@1": { name: "x" } });
  });

  test("says the props of the shell's points, too", async () => {
    const search = defineExtensionPoint<{ path: string }>({ id: "shell/search", version: 2, max: 1, examples: [] });
    const Frame = ({ currentPath = "", children }: FrameProps) => (
      <>
        <ExtensionPoint point={search} props={{ path: currentPath }} />
        <main>{children}</main>
      </>
    );
    const renderInShell = createRender({ ...PARTS, Frame, extensionPoints: [search] });
    const page = { section: "greeting", pattern: PATTERN };
    const request = { path: "/greeting/x", page, site: TEST_SITE };
    expect(await renderInShell(sectionOf(withPoint()), request)).toMatchObject({
      points: { "shell/search@2": { path: "/greeting/x" }, "greeting/aside@1": { name: "x" } },
    });
    const { points } = (await renderInShell(null, { ...request, page: null })) as Rendered;
    expect(points).toEqual({ "shell/search@2": { path: "" } });
  });

  test("passes no props that are undefined", async () => {
    const Component = () => (
      <ExtensionPoint point={ASIDE} props={{ name: "x", title: undefined } as { name: string }} />
    );
    const { points } = await renderAt("/greeting/x", withPoint({ Component }));
    expect(points?.["greeting/aside@1"]).toStrictEqual({ name: "x" });
  });

  const place = <ExtensionPoint point={ASIDE} props={{ name: "x" }} />;
  test("has the props of the last attempt to render", async () => {
    const Late = lazy(() => Promise.resolve({ default: () => place }));
    const Component = () => <Suspense fallback={place}>{<Late />}</Suspense>;
    expect((await renderAt("/greeting/x", withPoint({ Component }))).points).toEqual({
      "greeting/aside@1": { name: "x" },
    });
  });

  test.each([
    [
      "props that JSON would change",
      { Component: () => <ExtensionPoint point={ASIDE} props={{ name: new Date(0) as never }} /> },
      'the props of the extension point "greeting/aside@1" does not survive JSON: props.name is a Date',
    ],
    [
      "a point that it does not list",
      { extensionPoints: [] },
      'the extension point "greeting/aside@1" is not among the extensionPoints of its page, or of the shell',
    ],
    [
      "a point twice",
      {
        Component: () => (
          <>
            {place}
            {place}
          </>
        ),
      },
      'the extension point "greeting/aside@1" is rendered twice; expected one place',
    ],
  ])("is not rendered with %s", async (_, members, message) => {
    await expect(renderAt("/greeting/x", withPoint(members))).rejects.toThrow(message);
  });
});

/** Renders an extension of the point by the section `events`. */
function renderExtension(extension: unknown, more: object = {}): Promise<ExtensionResult> {
  const section = defineSection({
    name: "events",
    contract: 1,
    pages: {},
    extensions: { [ASIDE.reference]: () => Promise.resolve({ extension: extension as AnyExtension }) },
  });
  const asked = { section: "events", point: ASIDE.reference, props: { name: "x" } };
  return render(section, { extension: asked, site: TEST_SITE, ...more });
}

function Festival({ data, props }: { readonly data: string; readonly props: { readonly name: string } }): ReactNode {
  return <b id={useId()}>{`${data} for ${props.name}, ${String(useConfig().phone)}`}</b>;
}

const festival = defineExtension({
  data: ({ props }: { props: { name: string } }) => `Kites at ${props.name}`,
  Component: Festival,
});

describe("an extension", () => {
  test("renders in its section's scope, with props, data and configuration, and IDs of its own", async () => {
    const result = await renderExtension(festival, { config: { phone: "555" } });
    const id = "_greeting_aside_1-events-R_0_";
    const html = `<!--$--><div class="events_scope"><b id="${id}">Kites at x for x, 555</b></div><!--/$-->`;
    expect(result).toEqual({ extension: { html, data: "Kites at x" }, readsToday: false });
  });

  test("with queries says them first, and gets their results", async () => {
    const listed = defineExtension({
      queries: ({ props }: { props: { name: string } }) => ({
        events: query(`/api/events?for=${props.name}`, v.array(v.string())),
      }),
      data: ({ results: { events }, site }) => (events.ok ? events.value[0] : `none on ${site.today}`),
      Component: ({ data }) => <p>{data}</p>,
    });
    expect(await renderExtension(listed)).toEqual({
      queries: { events: "/api/events?for=x" },
      readsToday: false,
    });
    const results = { events: { ok: true, value: ["Kites"] } };
    expect(await renderExtension(listed, { results })).toMatchObject({
      extension: { data: "Kites" },
      readsToday: false,
    });
    expect(await renderExtension(listed, { results: { events: { ok: true, value: [7] } } })).toMatchObject({
      extension: { data: "none on 2026-01-31" },
      invalid: ["events"],
      readsToday: true,
    });
  });

  test("has nothing to show if its data is null", async () => {
    expect(await renderExtension({ ...festival, data: () => null })).toEqual({ extension: null, readsToday: false });
  });

  test.each([
    [
      "data that JSON would change",
      { data: () => new Map() },
      /the data of the extension of "greeting\/aside@1" by the section "events" does not survive JSON: data is a Map/,
    ],
    [
      "a component that throws",
      {
        Component: () => {
          throw new Error("kaputt");
        },
      },
      /kaputt/,
    ],
    [
      "a component that waits",
      {
        Component: () => (
          <>
            <img src="/kite.png" alt="" />
            <Never />
          </>
        ),
      },
      /the extension suspended outside/,
    ],
  ])("is not rendered with %s", async (_, members, message) => {
    await expect(renderExtension({ ...festival, ...members })).rejects.toThrow(message);
  });

  test("is not rendered for a point that the section does not fill", async () => {
    const asked = { section: "greeting", point: "greeting/other@1", props: {} };
    await expect(render(sectionOf(greeting), { extension: asked, site: TEST_SITE })).rejects.toThrow(
      'the section "greeting" has no extension of "greeting/other@1"',
    );
  });
});
