import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import * as v from "valibot";
import { afterEach, describe, expect, test, vi } from "vitest";

import { useConfig, useDialog, useParams, useSite } from "../context.js";
import type { DialogParams } from "../dialog.js";
import { isNotFound, notFound } from "../notFound.js";
import { defineExtension } from "../extension.js";
import { definePage, type PageProps } from "../page.js";
import type { QueryResult } from "../queries.js";
import { query } from "../query.js";
import { isRedirect, redirect } from "../redirect.js";
import { defineSection } from "../section.js";
import { loadData, renderExtension, renderPage, type RenderedPage, type RenderOptions } from "./index.js";

afterEach(cleanup);

/** An option that a shell defines. */
const LAYOUT = { header: "plain" };

function Greeting({ data, form }: PageProps<{ readonly words: string }>): React.ReactElement {
  const { brand } = useSite();
  const { language } = useParams();
  const open = useDialog("news/newsletter");
  return (
    <>
      <h1>{data.words}</h1>
      <p>
        {language} at {brand}
      </p>
      {form && <p role="alert">{form.message}</p>}
      <button
        onClick={() => {
          open({ from: "greeting" });
        }}
      >
        Reply
      </button>
    </>
  );
}

const greeting = definePage({
  data: ({ params, site }) =>
    params.language === "Klingon" ? notFound("Language not found") : { words: `Hello from ${site.contact}` },
  head: ({ data, site }) => ({ title: `${data.words} - ${site.brand}`, description: "", canonical: "/hello" }),
  layout: () => LAYOUT,
  Component: Greeting,
});

const welcome = definePage({
  data: () => ({ words: "Welcome" }),
  head: () => ({ title: "Welcome", description: "", canonical: "/hello/welcome" }),
  Component: Greeting,
});

const section = defineSection({
  name: "hello",
  contract: 1,
  pages: {
    "/hello/:language": () => Promise.resolve({ page: greeting }),
    "/hello/welcome": () => Promise.resolve({ page: welcome }),
  },
});

async function renderFound(path: string, options?: RenderOptions): Promise<RenderedPage> {
  const page = await renderPage(section, path, options);
  if (isNotFound(page)) throw new Error(page.heading);
  return page;
}

describe("renderPage", () => {
  test("renders a path's page with data, params and site facts", async () => {
    const page = await renderFound("/hello/Te%20Reo%20M%C4%81ori");
    expect(page.getByRole("heading").textContent).toBe("Hello from contact@site.example");
    expect(page.getByText("Te Reo Māori at Test Site")).toBeTruthy();
    expect(page.data).toEqual({ words: "Hello from contact@site.example" });
  });

  test("returns the head and the layout", async () => {
    const { head, layout } = await renderFound("/hello/Dutch", { site: { brand: "Example" } });
    expect(head.title).toBe("Hello from contact@site.example - Example");
    expect(layout).toBe(LAYOUT);
  });

  test("prefers a static segment", async () => {
    expect((await renderFound("/hello/welcome")).head.title).toBe("Welcome");
  });

  test("passes the form result to the page", async () => {
    await renderFound("/hello/Dutch", { form: { message: "Please enter your name.", values: {} } });
    expect(screen.getByRole("alert").textContent).toBe("Please enter your name.");
  });

  test("calls onDialog when the page opens a dialog", async () => {
    const onDialog = vi.fn<(dialog: string, params: DialogParams) => void>();
    await renderFound("/hello/Dutch", { onDialog });
    await userEvent.click(screen.getByRole("button", { name: "Reply" }));
    expect(onDialog.mock.calls).toEqual([["news/newsletter", { from: "greeting" }]]);
  });

  test("returns notFound without rendering", async () => {
    const answer = await renderPage(section, "/hello/Klingon");
    expect(isNotFound(answer)).toBe(true);
    expect(answer).toEqual({ heading: "Language not found" });
    expect(document.body.textContent).toBe("");
  });

  test("rejects a path that matches no page", async () => {
    await expect(renderPage(section, "/goodbye")).rejects.toThrow(
      'the section "hello" has no page for /goodbye; its patterns are /hello/welcome, /hello/:language',
    );
  });
});

describe("a page with queries", () => {
  const live = definePage({
    queries: ({ params }) => ({
      events: `/api/events?city=${params.city ?? ""}`,
      venue: query("/api/venue", v.object({ name: v.string() })),
    }),
    examples: () => [
      {
        path: "/events/Nome",
        results: { events: { ok: true, value: [] }, venue: { ok: true, value: { name: "Pier" } } },
      },
    ],
    data: ({ params, results: { events, venue } }) => {
      if (params.city === "Aus") return redirect("/events/Austin");
      return { events: events.ok, venue: venue.ok ? venue.value.name : String(venue.status) };
    },
    head: () => ({ title: "Events", description: "", canonical: "/events" }),
    Component: ({ data }) => <h1>{data.venue}</h1>,
  });
  const events = defineSection({
    name: "events",
    contract: 1,
    pages: { "/events/:city": () => Promise.resolve({ page: live }) },
  });
  const ok = (value: unknown): QueryResult => ({ ok: true, value });

  test("renders with the given results, which its schemas validate", async () => {
    await renderPage(events, "/events/Austin", { results: { venue: ok({ name: "Hall" }) } });
    expect(screen.getByRole("heading").textContent).toBe("Hall");
    expect(await loadData(events, "/events/Austin", { results: { events: ok([]), venue: ok({ name: 5 }) } })).toEqual({
      events: true,
      venue: "502",
    });
  });

  test("with the result of an unknown query is an error", async () => {
    await expect(loadData(events, "/events/Austin", { results: { event: ok([]) } })).rejects.toThrow(
      'the page has no query "event"; its queries are events, venue',
    );
  });

  test("has failed queries without results", async () => {
    expect(await loadData(events, "/events/Austin")).toEqual({ events: false, venue: "503" });
  });

  test("has the results of its example of the path, except those that are given", async () => {
    expect(await loadData(events, "/events/Nome")).toEqual({ events: true, venue: "Pier" });
    const results = { venue: { ok: false, status: 504 } } as const;
    expect(await loadData(events, "/events/Nome", { results })).toEqual({ events: true, venue: "504" });
  });

  test("has no example that does not fit its schemas", () => {
    const page = definePage({
      queries: () => ({ venue: query("/api/venue", v.object({ name: v.string() })) }),
      // @ts-expect-error -- The venue has no title.
      examples: () => [{ path: "/venue", results: { venue: { ok: true, value: { title: "Pier" } } } }],
      data: ({ results: { venue } }) => venue.ok,
      head: () => ({ title: "Venue", description: "", canonical: "/venue" }),
      Component: () => null,
    });
    expect(page.examples?.()).toHaveLength(1);
  });

  test("may redirect, which renderPage rejects", async () => {
    expect(isRedirect(await loadData(events, "/events/Aus"))).toBe(true);
    await expect(renderPage(events, "/events/Aus")).rejects.toThrow("/events/Aus redirects to /events/Austin");
  });
});

describe("loadData", () => {
  test("returns a page's data", async () => {
    expect(await loadData(section, "/hello/Dutch", { site: { contact: "us@site.example" } })).toEqual({
      words: "Hello from us@site.example",
    });
  });

  test("returns notFound", async () => {
    expect(isNotFound(await loadData(section, "/hello/Klingon"))).toBe(true);
  });
});

describe("renderExtension", () => {
  const POINT = "directory/city-aside@1";
  const extension = defineExtension({
    queries: ({ props }: { props: { city: string } }) => ({ count: `/api/count?city=${props.city}` }),
    examples: () => [{ props: { city: "Nome" }, results: { count: { ok: true, value: 3 } } }],
    data: ({ results, site }) => (results.count.ok ? { text: `${site.brand}: ${String(results.count.value)}` } : null),
    Component: ({ props, data }) => <p>{`${data.text} in ${props.city}, ${String(useConfig().greeting)}`}</p>,
  });
  const events = defineSection({
    name: "events",
    contract: 1,
    pages: {},
    extensions: { [POINT]: () => Promise.resolve({ extension }) },
  });
  const results: RenderOptions["results"] = { count: { ok: true, value: 7 } };

  test("renders an extension with its props, results, site and config", async () => {
    const options = { results, site: { brand: "Example" }, config: { greeting: "Hi" } };
    const shown = await renderExtension(events, POINT, { city: "Austin" }, options);
    expect(screen.getByText("Example: 7 in Austin, Hi")).toBeTruthy();
    expect(shown?.data).toEqual({ text: "Example: 7" });
  });

  test("renders an extension with the results of its example of the props", async () => {
    const shown = await renderExtension(events, POINT, { city: "Nome" });
    expect(shown?.data).toEqual({ text: "Test Site: 3" });
  });

  test("returns null if the extension shows nothing", async () => {
    expect(await renderExtension(events, POINT, { city: "Austin" })).toBeNull();
    expect(document.body.textContent).toBe("");
  });

  test("rejects a point that the section does not fill, and an unknown query", async () => {
    await expect(renderExtension(events, "directory/aside@1", {})).rejects.toThrow(
      'the section "events" does not fill the extension point "directory/aside@1"; it fills directory/city-aside@1',
    );
    const misspelled = { ...results, counts: { ok: true, value: 7 } as const };
    await expect(renderExtension(events, POINT, {}, { results: misspelled })).rejects.toThrow(
      'the extension has no query "counts"; its queries are count',
    );
  });
});
