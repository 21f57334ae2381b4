import { defineSection, Link, useConfig, useLocation } from "@colonnade/kit";
import { defineExtensionPoint, ExtensionPoint, type AnyExtension } from "@colonnade/kit/extensions";
import { ShellContext, type ResolvedExtension } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { createContext, useContext, useEffect, useId, useLayoutEffect, useState, type ReactElement } from "react";
import { NavigationType, type Navigator } from "react-router-dom";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { loadSection } from "../loading/federation.js";
import { provide } from "../loading/provided.js";
import type { View } from "../loading/viewLoader.js";
import { createRender } from "../server.js";
import { PARTS } from "../fixtures.js";
import { BrowserPlace } from "./BrowserPlace.js";

vi.mock("../loading/federation.js", () => ({ loadSection: vi.fn() }));
vi.mock("../loading/styles.js", () => ({ ensureStyles: () => Promise.resolve(), useStyles: () => undefined }));

const POINT = defineExtensionPoint<{ city: string }>({ id: "directory/aside", version: 1, max: 4, examples: [] });
const SERVICES = { site: TEST_SITE, configs: {}, openDialog: () => undefined, ExtensionPlace: BrowserPlace };
const Theme = createContext("light");
const report = vi.fn();

interface ContentProps {
  readonly props: { readonly city: string };
  readonly data: string;
}

function Content({ props, data }: ContentProps): ReactElement {
  const id = useId();
  const [count, setCount] = useState(0);
  return (
    <p>
      <label htmlFor={id}>{`${data} in ${props.city}`}</label>
      <input id={id} />
      <button
        onClick={() => {
          setCount(count + 1);
        }}
      >{`${data} ${String(count)}`}</button>
    </p>
  );
}

function extensionOf(data: string, more: object = {}): AnyExtension {
  return { data: () => data, Component: Content, ...more };
}

/** The section's code: its extension, a promise of it, or an error. */
type Code = AnyExtension | Promise<AnyExtension>;

const codes = new Map<string, Code>();

function resolved(name: string, data?: string): ResolvedExtension {
  const section = { name, version: "1.0.0", container: name, entry: "", integrity: "", assets: [] };
  return { section, assets: [], ...(data !== undefined && { data }) };
}

async function htmlOf(name: string, extension: AnyExtension, city: string): Promise<string> {
  const extensions = { [POINT.reference]: () => Promise.resolve({ extension }) };
  const section = defineSection({ name, contract: 1, pages: {}, extensions });
  const asked = { section: name, point: POINT.reference, props: { city } };
  const result = await createRender(PARTS)(section, { extension: asked, site: TEST_SITE });
  return "extension" in result && result.extension
    ? `<div data-extension="${name}">${result.extension.html}</div>`
    : "";
}

let setters: { readonly city: (city: string) => void; readonly theme: (theme: string) => void };

/** Changes the props that the page passes. */
function setCity(city: string): void {
  act(() => {
    setters.city(city);
  });
}

/** Changes a context of the page. */
function setTheme(theme: string): void {
  act(() => {
    setters.theme(theme);
  });
}

/** The style of the place of the point when the page is mounted, before the browser restores its scroll position. */
let styleBeforePaint: string | null | undefined;

function Page(): ReactElement {
  const [city, setCityState] = useState("Austin");
  const [theme, setThemeState] = useState("light");
  setters = { city: setCityState, theme: setThemeState };
  useLayoutEffect(() => {
    styleBeforePaint = document.querySelector("[data-extension-point]")?.getAttribute("style");
  }, []);
  return (
    <Theme value={theme}>
      <ExtensionPoint point={POINT} props={{ city }} empty={<i>Nothing here</i>} />
    </Theme>
  );
}

let extensions: Record<string, readonly ResolvedExtension[]> = {};

/** Renders the page with these extensions, from the server's HTML if there is any. Returns the place of the point. */
async function show(list: readonly ResolvedExtension[], html?: string): Promise<Element> {
  extensions = { [POINT.reference]: list };
  const container = document.createElement("div");
  document.body.append(container);
  if (html !== undefined)
    container.innerHTML = `<div data-extension-point="${POINT.reference}">${html}</div><div data-extension-empty=""><i>Nothing here</i></div>`;
  const page = (
    <ShellContext value={SERVICES}>
      <Page />
    </ShellContext>
  );
  await act(async () => {
    render(page, { container, hydrate: html !== undefined });
    await Promise.resolve();
  });
  const place = container.querySelector("[data-extension-point]");
  if (!place) throw new Error("the page has no place of the point");
  return place;
}

interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
}

function deferred<Value = AnyExtension>(): Deferred<Value> {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const errors = vi.spyOn(console, "error");

beforeEach(() => {
  provide({
    boot: { deployment: "1", configs: {} },
    deployment: { status: () => Promise.resolve("retained"), reload: vi.fn(), report },
    views: { load: () => Promise.resolve({ kind: "page", extensions } as View) },
    routerHistory: {
      navigator: {} as Navigator,
      state: {
        action: NavigationType.Pop,
        location: { pathname: "/city/Austin", search: "", hash: "", state: null, key: "1" },
      },
      subscribe: () => () => undefined,
    },
    parts: {},
  });
  vi.mocked(loadSection).mockImplementation(({ name }) => {
    const code = codes.get(name);
    const load = async () => ({ extension: (await code) ?? extensionOf("") });
    return Promise.resolve(defineSection({ name, contract: 1, pages: {}, extensions: { [POINT.reference]: load } }));
  });
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  vi.stubGlobal("reportError", () => undefined);
  errors.mockReset().mockImplementation(() => undefined);
  report.mockReset();
});
afterEach(() => {
  vi.unstubAllEnvs();
  cleanup();
  codes.clear();
  document.body.replaceChildren();
});

test("the server's HTML is hydrated once its code is there, whatever the page did before", async () => {
  const code = deferred();
  codes.set("events", code.promise);
  const place = await show([resolved("events", "Kites")], await htmlOf("events", extensionOf("Kites"), "Austin"));
  const [input, button] = [screen.getByLabelText("Kites in Austin"), screen.getByRole("button")];
  fireEvent.change(input, { target: { value: "typed" } });
  setTheme("dark");
  setCity("Nome");
  code.resolve(extensionOf("Kites"));
  await waitFor(() => {
    expect(screen.getByLabelText("Kites in Nome")).toBe(input);
  });
  expect(input).toHaveProperty("value", "typed");
  fireEvent.click(button);
  expect(button.textContent).toBe("Kites 1");
  expect(place.contains(input)).toBe(true);
  expect(errors).not.toHaveBeenCalled();
  expect(report).not.toHaveBeenCalled();
});

test("a context of the page does not reach an extension", async () => {
  codes.set("events", extensionOf("Kites", { Component: () => <p>{useContext(Theme)}</p> }));
  await show([resolved("events")]);
  await waitFor(() => screen.getByText("light"));
  setTheme("dark");
  expect(screen.getByText("light")).toBeTruthy();
});

test("extensions without HTML are loaded and stand in the order of the list", async () => {
  const late = deferred();
  codes.set("articles", late.promise);
  codes.set("events", extensionOf("Kites"));
  const place = await show([resolved("articles"), resolved("events")]);
  await waitFor(() => screen.getByLabelText("Kites in Austin"));
  late.resolve(extensionOf("Safety"));
  await waitFor(() => screen.getByLabelText("Safety in Austin"));
  expect([...place.children].map((child) => child.getAttribute("data-extension"))).toEqual(["articles", "events"]);
  expect(place.querySelectorAll(".articles_scope")).toHaveLength(1);
});

test("an extension with null as its data shows nothing", async () => {
  codes.set(
    "events",
    extensionOf("Kites", { data: ({ props }: ContentProps) => (props.city === "Nome" ? "Snow" : null) }),
  );
  const place = await show([resolved("events")]);
  await waitFor(() => {
    expect(loadSection).toHaveBeenCalled();
  });
  expect(place.innerHTML).toBe("");
  setCity("Nome");
  await waitFor(() => screen.getByLabelText("Snow in Nome"));
  setCity("Austin");
  await waitFor(() => {
    expect(screen.queryByRole("textbox")).toBeNull();
  });
});

test("other props load the data again, and a late result does not replace a newer one", async () => {
  const { promise, resolve } = deferred<string>();
  const data = ({ props }: ContentProps) => (props.city === "Nome" ? promise : `Kites of ${props.city}`);
  codes.set("events", extensionOf("", { data }));
  await show([resolved("events")]);
  await waitFor(() => screen.getByLabelText("Kites of Austin in Austin"));
  setCity("Nome");
  setCity("Reno");
  await waitFor(() => screen.getByLabelText("Kites of Reno in Reno"));
  resolve("Snow");
  await act(() => promise);
  expect(screen.getByLabelText("Kites of Reno in Reno")).toBeTruthy();
});

test.each([
  ["whose code does not load", () => Promise.reject(new Error("404")), "load"],
  [
    "that throws",
    () =>
      extensionOf("Kites", {
        Component: () => {
          throw new Error("kaputt");
        },
      }),
    "render",
  ],
])("an extension %s keeps the server's HTML, and others work", async (_, codeOf, phase) => {
  const html =
    (await htmlOf("articles", extensionOf("Safety"), "Austin")) +
    (await htmlOf("events", extensionOf("Kites"), "Austin"));
  codes.set("events", codeOf());
  codes.set("articles", extensionOf("Safety"));
  await show([resolved("articles", "Safety"), resolved("events", "Kites")], html);
  await waitFor(() => {
    expect(report).toHaveBeenCalled();
  });
  const { section } = resolved("events", "Kites");
  const failed = { section, extensionPoint: POINT.reference };
  expect(report).toHaveBeenCalledExactlyOnceWith(failed, phase, expect.any(Error));
  expect(screen.getByLabelText("Kites in Austin")).toBeTruthy();
  fireEvent.click(screen.getByText("Safety 0"));
  expect(screen.getByText("Safety 1")).toBeTruthy();
});

test("an extension reads its configuration, and the location once it is mounted", async () => {
  const Read = () => <Link to="/x">{`${String(useConfig().label)} ${useLocation().pathname}`}</Link>;
  const extension = extensionOf("", { Component: Read });
  const html = await htmlOf("events", extension, "Austin");
  expect(html).toContain("undefined /<");
  codes.set("events", extension);
  await show([resolved("events", "")], html);
  await waitFor(() => screen.getByText("undefined /city/Austin"));
  expect(errors).not.toHaveBeenCalled();
});

test("an extension of a section that `colonnade dev` has updated loads its data again", async () => {
  vi.stubEnv("NODE_ENV", "development");
  codes.set("events", extensionOf("Kites"));
  await show([resolved("events")]);
  fireEvent.click(await screen.findByText("Kites 0"));
  codes.set("events", extensionOf("Balloons"));
  dispatchEvent(new CustomEvent("colonnade-update", { detail: "articles" }));
  expect(screen.getByText("Kites 1")).toBeTruthy();
  dispatchEvent(new CustomEvent("colonnade-update", { detail: "events" }));
  expect(await screen.findByText("Balloons 1")).toBeTruthy();
});

test("an extension is unmounted with its page", async () => {
  const left = vi.fn();
  const Component = () => {
    useEffect(() => left, []);
    return <p>Kites</p>;
  };
  codes.set("events", extensionOf("", { Component }));
  await show([resolved("events")]);
  await waitFor(() => screen.getByText("Kites"));
  cleanup();
  await waitFor(() => {
    expect(left).toHaveBeenCalledOnce();
  });
});

test("a place is as high as the last one until its extensions are there", async () => {
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(68);
  codes.set("events", extensionOf("Kites"));
  await show([resolved("events")]);
  await waitFor(() => screen.getByLabelText("Kites in Austin"));
  cleanup();
  const late = deferred();
  codes.set("events", late.promise);
  const place = await show([resolved("events")]);
  expect(styleBeforePaint).toBe("min-block-size: 68px;");
  late.resolve(extensionOf("Kites"));
  await waitFor(() => screen.getByLabelText("Kites in Austin"));
  await waitFor(() => {
    expect(place.hasAttribute("style")).toBe(false);
  });
});
