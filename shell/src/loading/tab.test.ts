// @vitest-environment happy-dom
import type { Boot } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { createTab, takeJoin, type Tab } from "./tab";

function tabOf(deployment: number): Tab {
  return createTab({ deployment, site: TEST_SITE, page: null, slots: {} } satisfies Boot);
}

function answer(respond: () => Promise<Response>): ReturnType<typeof vi.fn> {
  const fetching = vi.fn(respond);
  vi.stubGlobal("fetch", fetching);
  return fetching;
}

beforeEach(() => {
  history.replaceState(null, "");
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("the standing of a tab's deployment", () => {
  test.each([
    [200, "kept"],
    [404, "kept"],
    [410, "gone"],
    [502, "unknown"],
  ] as const)("with the answer %i it is %s", async (status, standing) => {
    const fetching = answer(() => Promise.resolve(new Response(null, { status })));
    expect(await tabOf(7).standing("/state/New York")).toBe(standing);
    expect(fetching).toHaveBeenCalledWith(
      "/_page/7?path=%2Fstate%2FNew%20York",
      expect.objectContaining({ cache: "no-store" }),
    );
  });

  test("without an answer it is unknown", async () => {
    answer(() => Promise.reject(new TypeError("offline")));
    expect(await tabOf(7).standing("/")).toBe("unknown");
  });
});

describe("loading anew", () => {
  const reload = vi.fn();

  beforeEach(() => {
    reload.mockReset();
    vi.spyOn(location, "reload").mockImplementation(reload);
  });

  afterEach(() => {
    document.body.innerHTML = "";
  });

  test("is done once for several failures of one document", () => {
    const tab = tabOf(7);
    expect(tab.renew()).toBe(tab.renew());
    expect(reload).toHaveBeenCalledOnce();
  });

  test("is not done again for the same deployment, whatever the new document is", () => {
    expect(tabOf(7).renew()).toBeDefined();
    expect(tabOf(7).renew()).toBeUndefined();
    expect(reload).toHaveBeenCalledOnce();
  });

  test("is done for the next deployment, but not back and forth between two", () => {
    expect(tabOf(7).renew()).toBeDefined();
    expect(tabOf(9).renew()).toBeDefined();
    expect(tabOf(7).renew()).toBeUndefined();
    expect(tabOf(9).renew()).toBeUndefined();
    expect(reload).toHaveBeenCalledTimes(2);
  });

  test("is done once more in another entry of the history", () => {
    expect(tabOf(7).renew()).toBeDefined();
    history.pushState(null, "");
    expect(tabOf(7).renew()).toBeDefined();
  });

  test("leaves what others keep in the entry, and nothing in web storage", () => {
    history.replaceState({ key: "a", idx: 3, scrollTop: 99 }, "");
    void tabOf(7).renew();
    expect(history.state).toEqual({ key: "a", idx: 3, scrollTop: 99, renewed: [7] });
    expect(sessionStorage.length + localStorage.length).toBe(0);
  });

  test("is not done where it could not be remembered", () => {
    vi.spyOn(history, "replaceState").mockImplementation(() => {
      throw new DOMException("too often", "SecurityError");
    });
    expect(tabOf(7).renew()).toBeUndefined();
    expect(reload).not.toHaveBeenCalled();
  });

  test("never takes away what was typed, unless its page is being left", () => {
    document.body.innerHTML = '<dialog open><input value="visitor@example.com"></dialog>';
    const tab = tabOf(7);
    expect(tab.renew()).toBeUndefined();
    expect(history.state).toBeNull();
    expect(tab.renew({ leaving: true })).toBeDefined();
  });

  test.each([{ renewed: 7 }, { renewed: "7" }, 7, "7"])("is not misled by a history state of %j", (state) => {
    history.replaceState(state, "");
    expect(tabOf(7).renew()).toBeDefined();
  });

  test("the wish to join goes along, and is told once", () => {
    void tabOf(7).renew({ join: "sample" });
    expect(takeJoin()).toBe("sample");
    expect(takeJoin()).toBeNull();
    expect(history.state).toEqual({ renewed: [7] });
  });

  test.each([null, 7, { join: "anything" }])("there is no wish to join in a history state of %j", (state) => {
    history.replaceState(state, "");
    expect(takeJoin()).toBeNull();
  });
});
