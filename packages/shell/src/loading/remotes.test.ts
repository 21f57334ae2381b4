import type { Asset, RemoteDetails, RemoteSection } from "@colonnade/kit/shell";
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
  ...{ name: "catalog", version: "1.0.0", container: "catalog_1", entry: `${BASE}/entry.js`, integrity: "" },
  exposes: { "./Tag": {}, "./Cup": {} },
};
const DETAILS: RemoteDetails = {
  assets: { "./Tag": [assetOf("style", "tag.css"), assetOf("script", "tag.js")] },
  config: { currency: "EUR" },
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
  /** Exports of the module. Default: a component. */
  readonly exports?: object;
  /** Status of the first response with what the modules need. Default: 200. */
  readonly details?: number;
}

/** What happened. */
interface Visit {
  readonly remotes: ReturnType<typeof createRemotes>;
  /** URLs of the requests for JSON. */
  readonly requested: string[];
  /** URLs of files that are fetched past the browser's cache. */
  readonly reloaded: string[];
  readonly configs: Record<string, object>;
}

function remotesWith({ module = [], styles = [], exports = MODULE, details: status = 200 }: Failures): Visit {
  const visit = { requested: [] as string[], reloaded: [] as string[], configs: {} };
  const statuses = [status];
  vi.stubGlobal("fetch", (url: string, { cache }: RequestInit) => {
    if (cache === "reload") visit.reloaded.push(url.replace(BASE, ""));
    else visit.requested.push(url);
    const isOfSection = url.endsWith("?section=catalog");
    return Promise.resolve(
      isOfSection ? Response.json(DETAILS, { status: statuses.shift() ?? 200 }) : Response.json({ catalog: CATALOG }),
    );
  });
  const loadModule = vi.fn(() => Promise.resolve(exports));
  for (const error of module) loadModule.mockImplementationOnce(() => Promise.reject(error));
  vi.mocked(ensureStyles).mockReset().mockResolvedValue();
  for (const error of styles) vi.mocked(ensureStyles).mockRejectedValueOnce(error);
  // The entry defines it.
  if (!module.includes(ENTRY)) vi.stubGlobal(CATALOG.container, {});
  const deployment = { status: () => Promise.resolve("retained" as const), reload: () => undefined, report };
  const options = { set: "4", deployment, configs: visit.configs, register: () => undefined, loadModule };
  return { ...visit, remotes: createRemotes(options) };
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

test("a component that does not load in time is not shown, and blames its section", async () => {
  vi.useFakeTimers();
  const { remotes } = remotesWith({});
  vi.stubGlobal("fetch", (url: string) =>
    url.startsWith("/_remotes/4?")
      ? new Promise(() => undefined)
      : Promise.resolve(Response.json({ catalog: CATALOG })),
  );
  const failing = remotes.component("catalog/Tag").catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await failing).toEqual(new Error('the remote "catalog/Tag" took longer than 15000 ms'));
  expect(report).toHaveBeenCalledExactlyOnceWith({ section: CATALOG }, "load", await failing);
  vi.useRealTimers();
});

test("what the modules of a section need is fetched once, when one is shown", async () => {
  const { remotes, requested, configs } = remotesWith({});
  await remotes.load("catalog/Tag");
  expect(requested).toEqual(["/_remotes/4"]);
  await Promise.all([remotes.view("catalog/Tag"), remotes.view("catalog/Cup")]);
  expect(requested).toEqual(["/_remotes/4", "/_remotes/4?section=catalog"]);
  expect(ensureStyles).toHaveBeenCalledWith(DETAILS.assets["./Tag"], undefined, "catalog/Tag");
  expect(configs).toEqual({ catalog: DETAILS.config });
});

test("it is fetched again after a failure, which blames no section", async () => {
  const { remotes } = remotesWith({ details: 503 });
  expect((await remotes.view("catalog/Tag")).name).toBe("Failed");
  expect(report).not.toHaveBeenCalled();
  expect((await remotes.view("catalog/Cup")).name).toBe("RemoteView");
});

test("a module without a component is not shown, and blames no section", async () => {
  const { remotes } = remotesWith({ exports: { price: 3 } });
  expect((await remotes.view("catalog/Tag")).name).toBe("Failed");
  expect(report).not.toHaveBeenCalled();
});

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
