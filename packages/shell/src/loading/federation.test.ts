// @vitest-environment happy-dom
import { CONTRACT } from "@colonnade/kit";
import type { SectionEntry } from "@colonnade/kit/shell";
import { afterEach, expect, test, vi, type MockInstance } from "vitest";

import { loadSection } from "./federation.js";

vi.mock("./shareScope.js", () => ({ createShareScope: () => ({}) }));

const ENTRY: SectionEntry = {
  name: "legal",
  version: "1.0.0",
  container: "legal_1",
  entry: "/assets/legal/1.0.0/section.js",
  integrity: "sha384-x",
  assets: [],
};

/** Lets the browser load scripts that define a container of this module. */
function serve(module: object): MockInstance {
  return vi.spyOn(document.head, "append").mockImplementation((script) => {
    const container = { init: () => undefined, get: () => Promise.resolve(() => module) };
    vi.stubGlobal(ENTRY.container, container);
    (script as HTMLScriptElement).onload?.(new Event("load"));
  });
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test.each([
  ["a later contract", { name: "legal", contract: CONTRACT + 1 }, "has contract 2; this shell supports 1"],
  ["an earlier contract", { name: "legal", contract: CONTRACT - 1 }, "has contract 0; this shell supports 1"],
  ["no contract", { name: "legal" }, "has contract undefined; this shell supports 1"],
  ["another name", { name: "other", contract: CONTRACT }, 'does not export the section "legal"'],
  ["no section", undefined, 'does not export the section "legal"'],
])("a section with %s is rejected", async (_, section, message) => {
  serve({ default: section });
  await expect(loadSection(ENTRY)).rejects.toThrow(message);
});

test("a script whose view has 143 kB may take 46 s: 8 s, and 30 kbit/s", async () => {
  vi.useFakeTimers();
  vi.spyOn(document.head, "append").mockImplementation(() => undefined);
  const onFailure = vi.fn();
  loadSection(ENTRY, 143_000).catch(onFailure);
  await vi.advanceTimersByTimeAsync(46_132);
  expect(onFailure).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onFailure).toHaveBeenCalledExactlyOnceWith(new Error(`the script ${ENTRY.entry} took longer than 46133 ms`));
});

test("a script that defines no container is rejected, and a retry loads the section once", async () => {
  vi.spyOn(document.head, "append").mockImplementation((script) => {
    (script as HTMLScriptElement).onload?.(new Event("load"));
  });
  await expect(loadSection(ENTRY)).rejects.toThrow("does not define the container legal_1");
  vi.restoreAllMocks();
  const section = { name: "legal", contract: CONTRACT };
  const appended = serve({ default: section });
  expect(await loadSection(ENTRY)).toBe(section);
  expect(await loadSection(ENTRY)).toBe(section);
  expect(appended).toHaveBeenCalledOnce();
});
