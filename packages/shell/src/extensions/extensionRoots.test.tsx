import { defineSection, Link, useConfig, useLocation } from "@colonnade/kit";
import { defineExtensionPoint, ExtensionPoint, type AnyExtension } from "@colonnade/kit/extensions";
import { ShellContext, type ResolvedExtension } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import {
  createContext,
  Suspense,
  use,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useState,
  type ReactElement,
} from "react";
import { NavigationType, type Navigator } from "react-router-dom";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { loadSection } from "../loading/federation.js";
import { provide } from "../loading/provided.js";
import { createRender } from "../server.js";
import { PARTS } from "../fixtures.js";
import { BrowserPlace } from "./BrowserPlace.js";
// So that the first test does not wait for it.
import "./extensionRoots.js";
import { ViewExtensions } from "./viewExtensions.js";

/** How many extensions have their stylesheets in force. */
let styled = 0;

vi.mock("../loading/federation.js", () => ({ loadSection: vi.fn() }));
vi.mock("../loading/fetchFile.js", () => ({ refetch: () => Promise.resolve() }));
vi.mock("../loading/styles.js", () => ({
  ensureStyles: () => Promise.resolve(),
  useStyles() {
    useEffect(() => {
      styled += 1;
      return () => {
        styled -= 1;
      };
    }, []);
  },
}));

const POINT = defineExtensionPoint<{ city: string }>({ id: "directory/aside", version: 1, max: 4, examples: [] });
const OTHER = defineExtensionPoint<{ city: string }>({ id: "directory/other", version: 1, max: 4, examples: [] });
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
  const section = { name, version: "1.0.0", container: name, entry: `/${name}.js`, integrity: "", assets: [] };
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

interface Setters {
  readonly city: (city: string) => void;
  readonly theme: (theme: string) => void;
  readonly point: (point: typeof POINT) => void;
}

let setters: Setters;

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
  const [point, setPoint] = useState(POINT);
  setters = { city: setCityState, theme: setThemeState, point: setPoint };
  useLayoutEffect(() => {
    styleBeforePaint = document.querySelector("[data-extension-point]")?.getAttribute("style");
  }, []);
  return (
    <Theme value={theme}>
      <ExtensionPoint point={point} props={{ city }} empty={<i>Nothing here</i>} />
    </Theme>
  );
}

/** The place of the point. */
function placeOf(container: ParentNode): Element {
  const place = container.querySelector("[data-extension-point]");
  if (!place) throw new Error("the page has no place of the point");
  return place;
}

/** What led to the page. */
let action = NavigationType.Pop;

/** Renders the page with these extensions, from the server's HTML if there is any. Returns the place of the point. */
async function show(list: readonly ResolvedExtension[], html?: string): Promise<Element> {
  const extensions = { [POINT.reference]: list, [OTHER.reference]: [resolved("other")] };
  const isServerRendered = html !== undefined;
  const container = document.createElement("div");
  document.body.append(container);
  if (isServerRendered)
    container.innerHTML = `<div data-extension-point="${POINT.reference}">${html}</div><div data-extension-empty=""><i>Nothing here</i></div>`;
  const page = (
    <ShellContext value={SERVICES}>
      <ViewExtensions value={{ extensions, isServerRendered }}>
        <Page />
      </ViewExtensions>
    </ShellContext>
  );
  await act(async () => {
    render(page, { container, hydrate: isServerRendered });
    await Promise.resolve();
  });
  return placeOf(container);
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
    routerHistory: {
      navigator: {} as Navigator,
      state: {
        get action() {
          return action;
        },
        location: { pathname: "/city/Austin", search: "", hash: "", state: null, key: "1" },
      },
      subscribe: () => () => undefined,
    },
    parts: {},
  });
  vi.mocked(loadSection)
    .mockReset()
    .mockImplementation(({ name }) => {
      const code = codes.get(name);
      const load = async () => ({ extension: (await code) ?? extensionOf("") });
      const extensions = { [POINT.reference]: load, [OTHER.reference]: load };
      return Promise.resolve(defineSection({ name, contract: 1, pages: {}, extensions }));
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

test("a part of an extension that the server leaves to the browser is no error", async () => {
  let isServer = true;
  const Late = (): ReactElement => <b>{isServer ? use(new Promise<string>(() => undefined)) : "late"}</b>;
  const Component = (): ReactElement => (
    <Suspense fallback="Loading">
      <Late />
    </Suspense>
  );
  const extension = extensionOf("Kites", { Component });
  const html = await htmlOf("events", extension, "Austin");
  expect(html).toContain("Loading");
  isServer = false;
  const reported = vi.fn();
  vi.stubGlobal("reportError", reported);
  codes.set("events", extension);
  await show([resolved("events", "Kites")], html);
  await screen.findByText("late");
  expect(reported).not.toHaveBeenCalled();
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
    expect(place.innerHTML).toBe("");
  });
});

const kaputt = (): never => {
  throw new Error("kaputt");
};

/** Fails for Nome, in its component. */
function FailsForNome({ props, data }: ContentProps): ReactElement {
  return props.city === "Nome" ? kaputt() : <Content props={props} data={data} />;
}

test.each([
  ["data", { data: ({ props: { city } }: ContentProps) => (city === "Nome" ? kaputt() : "Kites") }],
  ["component", { Component: FailsForNome }],
])("an extension whose %s fails for other props shows nothing until they change again", async (_, more) => {
  const extension = extensionOf("Kites", more);
  codes.set("events", extension);
  const place = await show([resolved("events", "Kites")], await htmlOf("events", extension, "Austin"));
  await waitFor(() => {
    expect(styled).toBe(1);
  });
  setCity("Nome");
  await waitFor(() => {
    expect(place.innerHTML).toBe("");
  });
  expect(report).toHaveBeenCalledExactlyOnceWith(expect.anything(), "render", new Error("kaputt"));
  setCity("Reno");
  await waitFor(() => screen.getByLabelText("Kites in Reno"));
  setCity("Austin");
  await waitFor(() => screen.getByLabelText("Kites in Austin"));
});

test("an extension that fails without HTML for the props shows nothing", async () => {
  codes.set("events", extensionOf("", { Component: kaputt }));
  const place = await show([resolved("events")]);
  await waitFor(() => {
    expect(report).toHaveBeenCalled();
  });
  expect(place.innerHTML).toBe("");
});

test("an extension that fails once it is shown keeps the server's HTML and its styles until the props change", async () => {
  const Breaks = ({ props: { city } }: ContentProps) => {
    const [isBroken, setBroken] = useState(false);
    const onClick = (): void => {
      setBroken(true);
    };
    return isBroken && city === "Austin" ? kaputt() : <button onClick={onClick}>{city}</button>;
  };
  const extension = extensionOf("Kites", { Component: Breaks });
  codes.set("events", extension);
  await show([resolved("events", "Kites")], await htmlOf("events", extension, "Austin"));
  await waitFor(() => {
    expect(styled).toBe(1);
  });
  fireEvent.click(screen.getByText("Austin"));
  await waitFor(() => {
    expect(report).toHaveBeenCalled();
  });
  expect(screen.getByText("Austin")).toBeTruthy();
  expect(styled).toBe(1);
  setCity("Nome");
  await waitFor(() => screen.getByText("Nome"));
});

test("the server's HTML does not return once it shows other props", async () => {
  const extension = extensionOf("Kites");
  const html = await htmlOf("events", extension, "Austin");
  codes.set("events", {
    ...extension,
    data: ({ props }) => ((props as ContentProps["props"]).city === "Austin" ? kaputt() : "Kites"),
  });
  const place = await show([resolved("events", "Kites")], html);
  setCity("Nome");
  await waitFor(() => screen.getByLabelText("Kites in Nome"));
  setCity("Austin");
  await waitFor(() => {
    expect(place.innerHTML).toBe("");
  });
});

test("an extension that the document leaves out is shown with other props, and in later views", async () => {
  codes.set("events", extensionOf("Kites"));
  const leftOut = { ...resolved("events"), leftOut: true };
  const place = await show([leftOut], "");
  expect(loadSection).not.toHaveBeenCalled();
  expect(place.innerHTML).toBe("");
  setCity("Nome");
  await waitFor(() => screen.getByLabelText("Kites in Nome"));
  cleanup();
  await show([leftOut]);
  await waitFor(() => screen.getByLabelText("Kites in Austin"));
});

test("an extension that shows a point fails, on the server and in the browser", async () => {
  const Nested = () => <ExtensionPoint point={POINT} props={{ city: "Nome" }} />;
  const extension = extensionOf("Kites", { Component: Nested });
  await expect(htmlOf("events", extension, "Austin")).rejects.toThrow("an extension shows no extension points");
  codes.set("events", extension);
  const place = await show([resolved("events")]);
  await waitFor(() => {
    expect(report).toHaveBeenCalled();
  });
  expect(place.innerHTML).toBe("");
});

test("another point in the same position shows its own extensions", async () => {
  codes.set("events", extensionOf("Kites"));
  codes.set("other", extensionOf("Balloons"));
  await show([resolved("events")]);
  await waitFor(() => screen.getByLabelText("Kites in Austin"));
  act(() => {
    setters.point(OTHER);
  });
  await waitFor(() => screen.getByLabelText("Balloons in Austin"));
  expect(screen.queryByLabelText("Kites in Austin")).toBeNull();
});

test("an extension stays while React hides its place, and goes with a hidden place", async () => {
  const left = vi.fn();
  const Leaving = (props: ContentProps): ReactElement => {
    useEffect(() => left, []);
    return <Content {...props} />;
  };
  codes.set("events", extensionOf("Kites", { Component: Leaving }));
  const { promise, resolve } = deferred<null>();
  const forever = new Promise<null>(() => undefined);
  const Awaited = ({ content }: { readonly content: Promise<null> }): null => use(content);
  const Waiting = ({ content }: { readonly content: Promise<null> | undefined }): ReactElement => (
    <ShellContext value={SERVICES}>
      <ViewExtensions value={{ extensions: { [POINT.reference]: [resolved("events")] }, isServerRendered: false }}>
        <Suspense fallback="Loading">
          <ExtensionPoint point={POINT} props={{ city: "Austin" }} />
          {content && <Awaited content={content} />}
        </Suspense>
      </ViewExtensions>
    </ShellContext>
  );
  const { rerender, unmount } = render(<Waiting content={undefined} />);
  const suspendOn = (content: Promise<null>): Promise<void> =>
    act(async () => {
      rerender(<Waiting content={content} />);
      await Promise.resolve();
    });
  const input = await screen.findByLabelText("Kites in Austin");
  fireEvent.change(input, { target: { value: "typed" } });
  await suspendOn(promise);
  screen.getByText("Loading");
  await act(async () => {
    resolve(null);
    await promise;
  });
  expect(screen.queryByText("Loading")).toBeNull();
  expect(screen.getByLabelText("Kites in Austin")).toBe(input);
  expect(input).toHaveProperty("value", "typed");
  expect(left).not.toHaveBeenCalled();
  await suspendOn(forever);
  screen.getByText("Loading");
  unmount();
  await waitFor(() => {
    expect(left).toHaveBeenCalledOnce();
  });
});

test("what the first view lacks is shown in the frame on the next one", async () => {
  let fails = true;
  const Throwing = (props: ContentProps): ReactElement => {
    if (fails) throw new Error("not now");
    return <Content {...props} />;
  };
  codes.set("articles", extensionOf("Safety"));
  codes.set("events", extensionOf("Kites", { Component: Throwing }));
  const extensions = { [POINT.reference]: [{ ...resolved("articles"), leftOut: true }, resolved("events")] };
  const Frame = ({ isServerRendered }: { readonly isServerRendered: boolean }): ReactElement => (
    <ShellContext value={SERVICES}>
      <ViewExtensions value={{ extensions, isServerRendered }}>
        <ExtensionPoint point={POINT} props={{ city: "Austin" }} />
      </ViewExtensions>
    </ShellContext>
  );
  const { rerender } = render(<Frame isServerRendered />);
  await waitFor(() => {
    expect(report).toHaveBeenCalledOnce();
  });
  expect(screen.queryByRole("textbox")).toBeNull();
  fails = false;
  rerender(<Frame isServerRendered={false} />);
  await screen.findByLabelText("Safety in Austin");
  await screen.findByLabelText("Kites in Austin");
});

test("the scripts of an extension load in one trip", async () => {
  const section = { ...resolved("kites").section, integrity: "sha384-a" };
  const asset = { name: "", integrity: "sha384-b" };
  const assets = [
    { ...asset, href: "/kite.js", type: "script" },
    { ...asset, href: "/kite.css", type: "style" },
  ] as const;
  await show([{ section, assets }]);
  const links = [...document.querySelectorAll("link[rel=preload][as=script][crossorigin]")];
  expect(links.map((link) => [link.getAttribute("href"), link.getAttribute("integrity")])).toEqual(
    expect.arrayContaining([
      ["/kites.js", "sha384-a"],
      ["/kite.js", "sha384-b"],
    ]),
  );
});

test("an extension whose code does not load at first is shown once it does", async () => {
  codes.set("events", Promise.reject(new Error("404")));
  await show([resolved("events")]);
  await waitFor(() => {
    expect(report).toHaveBeenCalled();
  });
  codes.set("events", extensionOf("Kites"));
  await waitFor(() => {
    dispatchEvent(new Event("online"));
    expect(screen.getByLabelText("Kites in Austin")).toBeTruthy();
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

test("after Back, a place is as high as the last one until its extensions are there", async () => {
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
  cleanup();
  action = NavigationType.Push;
  await show([resolved("events")]);
  expect(styleBeforePaint).toBeNull();
});
