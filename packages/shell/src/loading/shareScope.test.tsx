import { expect, test, vi } from "vitest";

import { createShareScope } from "./shareScope.js";
import { share } from "./sharing.js";

vi.stubGlobal("HAS_SHARED_PACKAGES", true);
vi.stubGlobal("SHARED_VERSIONS", { react: "19.3.1", "react-dom": "19.3.1", "@colonnade/kit": "0.1.0", chart: "2.1.0" });
vi.mock("./fetchFile.js", () => ({ fetchFile: () => Promise.resolve(true) }));

/** What a container gets of the package. */
async function consume(): Promise<unknown> {
  const factory = await createShareScope(() => Promise.reject(new Error())).chart?.["2.1.0"]?.get();
  return factory?.();
}

test("a shared package whose file does not load is loaded again", async () => {
  vi.useFakeTimers();
  const module = { draw: 1 };
  const error = Object.assign(new Error("no file"), { name: "ChunkLoadError", request: "/chart.js" });
  const load = vi.fn().mockRejectedValueOnce(error).mockResolvedValue(module);
  share("chart", load);
  const consuming = consume();
  await vi.runAllTimersAsync();
  expect(await consuming).toBe(module);
  expect(load).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});

test("a shared package that throws is not loaded again", async () => {
  const load = vi.fn().mockRejectedValue(new TypeError("no such function"));
  share("chart", load);
  await expect(consume()).rejects.toThrow("no such function");
  expect(load).toHaveBeenCalledTimes(1);
});

test("of a CommonJS package, sections get what it exports", async () => {
  const exported = (): void => undefined;
  const namespace: object = Object.assign(Object.create(null) as object, { default: exported, __esModule: true });
  share("chart", () => Promise.resolve(namespace));
  expect(await consume()).toBe(exported);
});
