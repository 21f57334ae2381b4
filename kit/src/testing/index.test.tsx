import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, test, vi } from "vitest";

import { useJoin, useParams, useSite } from "../context.js";
import { isNotFound, notFound } from "../notFound.js";
import { definePage, type PageProps } from "../page.js";
import { defineSection } from "../section.js";
import { defineSlot, type JoinReason } from "../slot.js";
import { loadData, renderPage, renderSlot, TEST_SITE, type RenderedPage, type RenderOptions } from "./index.js";

afterEach(cleanup);

function Greeting({ data, form }: PageProps<{ readonly words: string }>): React.ReactElement {
  const { brand } = useSite();
  const { language } = useParams();
  const join = useJoin();
  return (
    <>
      <h1>{data.words}</h1>
      <p>
        {language} at {brand}
      </p>
      {form && <p role="alert">{form.error}</p>}
      <button
        onClick={() => {
          join("sample");
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
  layout: () => ({ header: "plain" }),
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
  slots: {
    join: () =>
      Promise.resolve({
        slot: defineSlot({
          Component: ({ open, close, reason }) => {
            const { brand } = useSite();
            return open ? <button onClick={close}>{`Leave ${brand}, ${reason}`}</button> : null;
          },
        }),
      }),
  },
});

async function shown(path: string, options?: RenderOptions): Promise<RenderedPage> {
  const page = await renderPage(section, path, options);
  if (isNotFound(page)) throw new Error(page.heading);
  return page;
}

describe("renderPage", () => {
  test("renders the page of a path with its data, params and the site's facts", async () => {
    const page = await shown("/hello/Te%20Reo%20M%C4%81ori");
    expect(page.getByRole("heading").textContent).toBe("Hello from contact@site.example");
    expect(page.getByText("Te Reo Māori at Test Directory")).toBeTruthy();
    expect(page.data).toEqual({ words: "Hello from contact@site.example" });
  });

  test("gives the head, and the layout with its defaults", async () => {
    const { head, layout } = await shown("/hello/Dutch", { site: { brand: "Example" } });
    expect(head.title).toBe("Hello from contact@site.example - Example");
    expect(layout).toEqual({ header: "plain", footerNote: "18+ only" });
  });

  test("prefers a static segment, as the site does", async () => {
    expect((await shown("/hello/welcome")).head.title).toBe("Welcome");
  });

  test("passes a form's answer on", async () => {
    await shown("/hello/Dutch", { form: { error: "Please enter your age.", email: "a@b.example" } });
    expect(screen.getByRole("alert").textContent).toBe("Please enter your age.");
  });

  test("tells of a wish to join", async () => {
    const onJoin = vi.fn<(reason: JoinReason) => void>();
    await shown("/hello/Dutch", { onJoin });
    await userEvent.click(screen.getByRole("button", { name: "Reply" }));
    expect(onJoin.mock.calls).toEqual([["sample"]]);
  });

  test("gives the not-found answer and renders nothing", async () => {
    const answer = await renderPage(section, "/hello/Klingon");
    expect(isNotFound(answer)).toBe(true);
    expect(answer).toEqual({ heading: "Language not found" });
    expect(document.body.textContent).toBe("");
  });

  test("of a path that no page matches names the patterns there are", async () => {
    await expect(renderPage(section, "/goodbye")).rejects.toThrow(
      'no page of the section "hello" matches /goodbye; it has /hello/welcome, /hello/:language',
    );
  });
});

describe("loadData", () => {
  test("gives a page's data", async () => {
    expect(await loadData(section, "/hello/Dutch", { site: { contact: "us@site.example" } })).toEqual({
      words: "Hello from us@site.example",
    });
  });

  test("gives the not-found answer", async () => {
    expect(isNotFound(await loadData(section, "/hello/Klingon"))).toBe(true);
  });
});

describe("renderSlot", () => {
  test("renders what fills a slot, with its props and the site's facts", async () => {
    const close = vi.fn();
    await renderSlot(section, "join", { open: true, close, reason: "sample" });
    await userEvent.click(screen.getByRole("button", { name: "Leave Test Directory, sample" }));
    expect(close).toHaveBeenCalledOnce();
  });

  test("of a slot that the section does not fill says so", async () => {
    const props = { open: false, close: () => undefined, reason: "general" } as const;
    await expect(renderSlot(section, "menu", props)).rejects.toThrow('the section "hello" fills no slot "menu"');
  });
});

test("the site of the tests is configured with neither backend nor partner", () => {
  expect(TEST_SITE.signup.host).toBeNull();
  expect(TEST_SITE.partner).toBeNull();
});
