import { CONTRACT, useConfig, useSite } from "@colonnade/kit";
import { Remote } from "@colonnade/kit/remotes";
import { ShellContext, type RemoteDetails, type RemoteSection } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import type { ModuleFederation } from "@module-federation/enhanced/runtime";
import { act, cleanup, render, screen } from "@testing-library/react";
import type { ReactElement } from "react";
import { afterEach, expect, test, vi } from "vitest";

import { federation, loadSection } from "./federation.js";
import { UNUSED } from "../fixtures.js";
import { provide } from "./provided.js";

vi.stubGlobal("SHARED_VERSIONS", { react: "19.3.1", "react-dom": "19.3.1", "@colonnade/kit": "0.1.0" });
vi.stubGlobal("HAS_SHARED_PACKAGES", false);

// Without webpack, a module has no prototype, as one of CommonJS with it.
vi.mock("@colonnade/kit/html/parser", () => ({ parse: "parse" }));

type Scope = Readonly<Record<string, Readonly<Record<string, { version?: string; get(): () => { lazy: unknown } }>>>>;

function sectionOf(name: string, ...exposed: string[]): RemoteSection {
  return {
    ...{ name, version: "1.0.0", container: `${name}_1`, entry: `/assets/${name}/1.0.0/entry.js` },
    integrity: `sha384-${name}`,
    exposes: Object.fromEntries(exposed.map((module) => [module, {}])),
  };
}

function Tag({ text }: { readonly text: string }): ReactElement {
  const { brand } = useSite();
  return <b>{`${text} of ${brand} in ${useConfig<{ readonly currency?: string }>().currency ?? ""}`}</b>;
}

function Broken(): ReactElement {
  throw new Error("broken");
}

const SECTIONS = {
  catalog: sectionOf("catalog", "./Tag", "./Broken", "./prices"),
  legal: sectionOf("legal"),
  news: sectionOf("news"),
};

/** The modules of each section's container. */
const MODULES: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  catalog: {
    "./section": { default: { name: "catalog", contract: CONTRACT } },
    "./Tag": { default: Tag },
    "./Broken": { default: Broken },
    "./prices": { tea: 3 },
  },
  legal: { "./section": { default: { name: "legal", contract: CONTRACT } } },
};

/** The share scopes that containers were initialized with, by section. */
const scopes = new Map<string, Scope>();
const scripts: HTMLScriptElement[] = [];

/** Lets the browser run the entry of a section. That of `news` does not load. */
function run(script: HTMLScriptElement): void {
  scripts.push(script);
  const [, name = ""] = /assets\/([^/]+)/.exec(script.src) ?? [];
  const modules = MODULES[name];
  if (modules)
    vi.stubGlobal(`${name}_1`, {
      init(scope: Scope) {
        if (scopes.has(name)) throw new Error("initialized twice");
        scopes.set(name, scope);
      },
      get: (module: string) =>
        modules[module] ? Promise.resolve(() => modules[module]) : Promise.reject(new Error(`no ${module}`)),
    });
  queueMicrotask(() => {
    if (modules) script.onload?.(new Event("load"));
    else script.onerror?.(new Event("error"));
  });
}

vi.spyOn(document.head, "append").mockImplementation((script) => {
  run(script as HTMLScriptElement);
});
vi.spyOn(document.head, "appendChild").mockImplementation((script) => {
  run(script as unknown as HTMLScriptElement);
  return script;
});
const DETAILS: RemoteDetails = { assets: {}, config: { currency: "EUR" } };
const fetched = vi.fn((url: string) => Promise.resolve(Response.json(url.includes("?section=") ? DETAILS : SECTIONS)));
vi.stubGlobal("fetch", fetched);
const warn = vi.spyOn(console, "warn").mockReturnValue();

const report = vi.fn();
const onLoad = vi.fn<({ id }: { readonly id: string }) => void>();
const errorLoadRemote = vi.fn<({ id }: { readonly id: string }) => void>();
const configs = {};
function fault(): never {
  throw new Error("fault");
}
provide({
  ...UNUSED,
  boot: { deployment: "4.5", configs },
  deployment: { status: () => Promise.resolve("retained"), reload: () => undefined, report },
  parts: {
    federationPlugins: [
      { name: "broken", onLoad: fault, errorLoadRemote: () => Promise.reject(new Error("fault")), createScript: fault },
      {
        name: "site",
        onLoad(options) {
          onLoad(options);
        },
        errorLoadRemote(options) {
          errorLoadRemote(options);
        },
        createScript({ url }) {
          const script = document.createElement("script");
          script.src = url;
          script.dataset.by = "site";
          return script;
        },
      },
    ],
  },
});

afterEach(() => {
  cleanup();
  vi.clearAllMocks();
});

function global(): { readonly __INSTANCES__: ModuleFederation[]; readonly moduleInfo: object } {
  return (globalThis as unknown as { __FEDERATION__: ReturnType<typeof global> }).__FEDERATION__;
}

async function show(remote: ReactElement): Promise<void> {
  const services = {
    site: TEST_SITE,
    configs,
    openDialog: () => undefined,
    ExtensionPlace: () => null,
    remotes: federation,
  };
  await act(() => Promise.resolve(render(<ShellContext value={services}>{remote}</ShellContext>)));
}

const lazyOf = (name: string): unknown => scopes.get(name)?.react?.["19.3.1"]?.get()().lazy;

const warnings = (): string[] => warn.mock.calls.map(([text]) => text as string);
const failed = (hook: string): string => `[shell] the hook ${hook} of the plugin "broken" failed:`;

// The tests are the visit of a site, in order: the runtime starts once for each document.

test("the runtime adopts a loaded section, and knows all sections of the set", async () => {
  expect((await loadSection(SECTIONS.catalog)).name).toBe("catalog");
  const { load } = await federation.start();
  await vi.waitFor(() => {
    expect(Object.keys(global().moduleInfo)).toEqual(["shell:4.5", "catalog:1.0.0", "legal:1.0.0", "news:1.0.0"]);
  });
  expect(fetched).toHaveBeenCalledExactlyOnceWith("/_remotes/4.5", expect.anything());
  const [instance] = global().__INSTANCES__;
  expect(instance?.options.remotes.map(({ name, entryGlobalName }) => [name, entryGlobalName])).toEqual([
    ["catalog", "catalog_1"],
    ["legal", "legal_1"],
    ["news", "news_1"],
  ]);
  expect(await load("catalog/prices")).toBe(MODULES.catalog?.["./prices"]);
  expect(warnings()).toEqual([failed("onLoad")]);
  expect(scripts.length).toBe(1);
  expect(scopes.get("catalog")?.react?.["19.3.1"]).toMatchObject({ version: "19.3.1", scope: ["default"] });
});

test("it loads later sections with their digests, and calls the site's plugins", async () => {
  await loadSection(SECTIONS.legal);
  const script = scripts.at(-1);
  expect(script?.dataset.by).toBe("site");
  expect([script?.integrity, script?.crossOrigin]).toEqual(["sha384-legal", "anonymous"]);
  expect(onLoad.mock.calls.map(([{ id }]) => id)).toEqual(["legal/section"]);
  await expect(loadSection(SECTIONS.news)).rejects.toThrow("/assets/news/1.0.0/entry.js");
  expect(errorLoadRemote.mock.calls.map(([{ id }]) => id)).toEqual(["news/section"]);
  // The hooks of a plugin that throws are no failure of a section.
  expect(warnings()).toEqual(["createScript", "errorLoadRemote"].map(failed));
});

test("each section has a share scope of its own, whose lazy reports failures of that section", () => {
  expect(lazyOf("catalog")).toBeTypeOf("function");
  expect(lazyOf("catalog")).not.toBe(lazyOf("legal"));
});

test("sections get the kit's parser of HTML, whether they loaded before the runtime or with it", async () => {
  for (const name of ["catalog", "legal"]) {
    const factory = await Promise.resolve(scopes.get(name)?.["@colonnade/kit/html/parser"]?.["0.1.0"]?.get());
    expect(factory?.()).toEqual({ parse: "parse" });
  }
});

test("a remote shows the component of another section, in the scope of that section's styles", async () => {
  await show(<Remote from="catalog" module="Tag" text="Tea" fallback={<i>Ask us</i>} />);
  const tag = await screen.findByText("Tea of Test Site in EUR");
  expect(tag.parentElement?.className).toBe("catalog_scope");
  expect(screen.queryByText("Ask us")).toBeNull();
  expect(warn).not.toHaveBeenCalled();
});

test("a remote that throws shows its fallback, and blames its section", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  await show(<Remote from="catalog" module="Broken" fallback={<i>Ask us</i>} />);
  await vi.waitFor(() => {
    expect(report).toHaveBeenCalledExactlyOnceWith({ section: SECTIONS.catalog }, "render", new Error("broken"));
  });
  expect(screen.getByText("Ask us")).toBeTruthy();
});

test.each([
  ["a section", "shop", "Cart"],
  ["a module", "catalog", "Cart"],
])("%s that is not live shows the fallback, with one warning", async (_, from, module) => {
  report.mockClear();
  const remote = <Remote from={from} module={module} fallback={<i>Ask us</i>} />;
  await show(
    <>
      {remote}
      {remote}
    </>,
  );
  await vi.waitFor(() => {
    expect(warn).toHaveBeenCalledOnce();
  });
  expect(warn.mock.calls[0]?.[0]).toBe(`[shell] the remote "${from}/${module}" is not shown:`);
  expect(screen.getAllByText("Ask us").length).toBe(2);
  // It is no failure of a release.
  expect(report).not.toHaveBeenCalled();
});
