import type { Asset, RemoteSection } from "@colonnade/kit/shell";
import { afterEach, expect, test, vi } from "vitest";

import { createRemotes } from "./remotes.js";
import { ensureStyles } from "./styles.js";

vi.mock("./styles.js", () => ({ ensureStyles: vi.fn() }));
vi.spyOn(console, "warn").mockReturnValue();

const BASE = "/assets/catalog/1.0.0";

function assetOf(type: Asset["type"], name: string): Asset {
  return { type, href: `${BASE}/${name}`, name, integrity: "" };
}

const CATALOG: RemoteSection = {
  ...{
    name: "catalog",
    version: "1.0.0",
    container: "catalog_1",
    entry: `${BASE}/entry.js`,
    integrity: "",
    assets: [],
  },
  exposes: { "./Tag": { assets: [assetOf("style", "tag.css"), assetOf("script", "tag.js")] } },
};
const ENTRY = new Error("entry.js did not load");
const CHUNK = Object.assign(new Error("tag.js did not load"), { name: "ChunkLoadError" });
const STYLE = new Error("tag.css could not be loaded");
const THROWN = new TypeError("tag.js threw");
const MODULE = { default: () => null };

const report = vi.fn();

interface Failures {
  /** Of the first attempts to load the module. Default: none. */
  readonly module?: readonly Error[];
  readonly styles?: readonly Error[];
}

/** Returns the remotes, and the URLs of files that are fetched past the browser's cache. */
function remotesWith({ module = [], styles = [] }: Failures): {
  readonly remotes: ReturnType<typeof createRemotes>;
  readonly reloaded: string[];
} {
  const reloaded: string[] = [];
  vi.stubGlobal("fetch", (url: string, { cache }: RequestInit) => {
    if (cache === "reload") reloaded.push(url.replace(BASE, ""));
    return Promise.resolve(Response.json({ catalog: CATALOG }));
  });
  const loadModule = vi.fn(() => Promise.resolve(MODULE));
  for (const error of module) loadModule.mockImplementationOnce(() => Promise.reject(error));
  vi.mocked(ensureStyles).mockReset().mockResolvedValue();
  for (const error of styles) vi.mocked(ensureStyles).mockRejectedValueOnce(error);
  // The entry defines it.
  if (!module.includes(ENTRY)) vi.stubGlobal(CATALOG.container, {});
  const deployment = { status: () => Promise.resolve("retained" as const), reload: () => undefined, report };
  return { remotes: createRemotes({ set: "4", deployment, register: () => undefined, loadModule }), reloaded };
}

afterEach(() => {
  vi.clearAllMocks();
  vi.unstubAllGlobals();
});

test.each<[string, Failures, string[]]>([
  ["entry", { module: [ENTRY] }, ["/entry.js", "/tag.js"]],
  ["script", { module: [CHUNK] }, ["/entry.js", "/tag.js"]],
  ["stylesheet", { styles: [STYLE] }, ["/tag.css"]],
])(
  "a component whose %s is corrupt in the browser's cache is shown once it is fetched again",
  async (_, failures, urls) => {
    const { remotes, reloaded } = remotesWith(failures);
    expect((await remotes.view("catalog/Tag")).name).toBe("RemoteView");
    expect(reloaded).toEqual(urls);
    expect(console.warn).not.toHaveBeenCalled();
    expect(report).not.toHaveBeenCalled();
  },
);

test("a function's module is fetched again, too", async () => {
  const { remotes, reloaded } = remotesWith({ module: [CHUNK] });
  expect(await remotes.load("catalog/Tag")).toBe(MODULE);
  expect(reloaded).toEqual(["/entry.js", "/tag.js"]);
});

test.each<[string, Failures, Error, number]>([
  ["whose file is damaged on the site, too,", { module: [CHUNK, CHUNK] }, CHUNK, 2],
  ["that throws", { module: [THROWN] }, THROWN, 0],
])("a module %s fails, and blames its section", async (_, failures, error, files) => {
  const { remotes, reloaded } = remotesWith(failures);
  expect((await remotes.view("catalog/Tag")).name).toBe("Failed");
  expect(reloaded.length).toBe(files);
  expect(report).toHaveBeenCalledExactlyOnceWith({ section: CATALOG }, "load", error);
});
