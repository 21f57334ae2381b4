import { runInThisContext } from "node:vm";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { RemoteContainer } from "./container.js";

const SCRIPT = { url: "/assets/shop/1.0.0/remote/remoteEntry.js", integrity: "sha384-1", timeout: 1_000 };
const SCOPE = { react: { "19.3.1": { from: "shell" } } };

interface FakeElement {
  onload?: () => void;
  onerror?: () => void;
  remove: () => void;
}

/** The elements that were added to the document. A script does what the next of `outcomes` says. */
let elements: FakeElement[];
let outcomes: (() => "onload" | "onerror" | undefined)[];

beforeEach(() => {
  [elements, outcomes] = [[], []];
  const append = (element: FakeElement): void => {
    elements.push({ ...element });
    const event = outcomes.shift()?.();
    if (event) element[event]?.();
  };
  vi.stubGlobal("document", { createElement: () => ({ remove: () => undefined }), head: { append } });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** The container of a remote, which adds a version to its share scope. */
function defineRemote(): "onload" {
  const init = (scope: Record<string, Record<string, object>>): void => {
    scope.react = { ...scope.react, "19.4.0": {} };
  };
  vi.stubGlobal("shop", { init: vi.fn(init), get: (module: string) => () => `the module ${module}` });
  return "onload";
}

test("a container loads that of the remote with its digest, once", async () => {
  outcomes.push(defineRemote);
  // As browsers do, which have only its text. Webpack calls `get` without `this`.
  const Container = runInThisContext(`(${String(RemoteContainer)})`) as typeof RemoteContainer;
  const remote = new Container({ ...SCRIPT, global: "shop" });
  remote.init(SCOPE);
  const { get } = remote;
  const factory = (await get("./App")) as () => string;
  expect(factory()).toBe("the module ./App");
  await get("./Terms");
  expect(elements).toMatchObject([{ src: SCRIPT.url, integrity: SCRIPT.integrity, crossOrigin: "anonymous" }]);
});

test("the versions of the shell count as loaded, and the remote cannot change its share scope", async () => {
  outcomes.push(defineRemote);
  const scope = structuredClone(SCOPE);
  const remote = new RemoteContainer({ ...SCRIPT, global: "shop" });
  remote.init(scope);
  await remote.get("./App");
  const { init } = (globalThis as unknown as { shop: { init: ReturnType<typeof vi.fn> } }).shop;
  expect(init.mock.calls[0]?.[0]).toMatchObject({ react: { "19.3.1": { from: "shell", loaded: true } } });
  expect(scope).toEqual(SCOPE);
});

test("a failure has the form that the shell retries, and the next call loads again", async () => {
  vi.useFakeTimers();
  outcomes.push(
    () => "onerror",
    () => undefined,
    () => "onload",
    defineRemote,
  );
  const remote = new RemoteContainer({ ...SCRIPT, global: "shop" });
  remote.init(SCOPE);
  const failure = { name: "ChunkLoadError", request: SCRIPT.url };
  await expect(remote.get("./App")).rejects.toMatchObject({ ...failure, type: "error" });
  const timeout = expect(remote.get("./App")).rejects.toMatchObject({ ...failure, type: "timeout" });
  await vi.advanceTimersByTimeAsync(SCRIPT.timeout);
  await timeout;
  await expect(remote.get("./App")).rejects.toThrow("does not define the container shop");
  expect(await remote.get("./App")).toBeTypeOf("function");
});
