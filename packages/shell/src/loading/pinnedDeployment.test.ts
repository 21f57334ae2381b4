// @vitest-environment happy-dom
import type { Boot } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { createPinnedDeployment, takeDialog, type PinnedDeployment } from "./pinnedDeployment.js";

function pinTo(deployment: string): PinnedDeployment {
  return createPinnedDeployment({ deployment, site: TEST_SITE, configs: {}, page: null } satisfies Boot);
}

function stubFetch(respond: () => Promise<Response>): ReturnType<typeof vi.fn> {
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

describe("the status of the pinned deployment", () => {
  test.each([
    [200, "retained"],
    [404, "retained"],
    [410, "gone"],
    [502, "unknown"],
  ] as const)("a response with status %i means %s", async (httpStatus, status) => {
    const fetching = stubFetch(() => Promise.resolve(new Response(null, { status: httpStatus })));
    expect(await pinTo("7").status("/state/New York")).toBe(status);
    expect(fetching).toHaveBeenCalledWith(
      "/_page/7?path=%2Fstate%2FNew%20York",
      expect.objectContaining({ cache: "no-store" }),
    );
  });

  test("no response means unknown", async () => {
    stubFetch(() => Promise.reject(new TypeError("offline")));
    expect(await pinTo("7").status("/")).toBe("unknown");
  });
});

describe("reload", () => {
  const reload = vi.fn();

  beforeEach(() => {
    reload.mockReset();
    vi.spyOn(location, "reload").mockImplementation(reload);
  });

  afterEach(() => {
    document.body.innerHTML = "";
  });

  test("several failures in one document cause one reload", () => {
    const pinned = pinTo("7");
    expect(pinned.reload()).toBe(pinned.reload());
    expect(reload).toHaveBeenCalledOnce();
  });

  test("the same deployment is never reloaded twice", () => {
    expect(pinTo("7").reload()).toBeDefined();
    expect(pinTo("7").reload()).toBeUndefined();
    expect(reload).toHaveBeenCalledOnce();
  });

  test("a newer deployment is reloaded, without alternating", () => {
    expect(pinTo("7").reload()).toBeDefined();
    expect(pinTo("9").reload()).toBeDefined();
    expect(pinTo("7").reload()).toBeUndefined();
    expect(pinTo("9").reload()).toBeUndefined();
    expect(reload).toHaveBeenCalledTimes(2);
  });

  test("another history entry is reloaded again", () => {
    expect(pinTo("7").reload()).toBeDefined();
    history.pushState(null, "");
    expect(pinTo("7").reload()).toBeDefined();
  });

  test("reload keeps history state and writes no web storage", () => {
    history.replaceState({ key: "a", idx: 3, scrollTop: 99 }, "");
    void pinTo("7").reload();
    expect(history.state).toEqual({ key: "a", idx: 3, scrollTop: 99, reloadedDeployments: ["7"] });
    expect(sessionStorage.length + localStorage.length).toBe(0);
  });

  test("reload is refused if history state cannot be written", () => {
    vi.spyOn(History.prototype, "replaceState").mockImplementation(() => {
      throw new DOMException("too often", "SecurityError");
    });
    expect(pinTo("7").reload()).toBeUndefined();
    expect(reload).not.toHaveBeenCalled();
  });

  test("typed text prevents a reload until the visitor leaves", () => {
    document.body.innerHTML = '<dialog open><input value="visitor@example.com"></dialog>';
    const pinned = pinTo("7");
    expect(pinned.reload()).toBeUndefined();
    expect(history.state).toBeNull();
    expect(pinned.reload({ leaving: true })).toBeDefined();
  });

  test.each([{ reloadedDeployments: 7 }, { reloadedDeployments: "7" }, 7, "7"])(
    "reload ignores an unexpected history state: %j",
    (state) => {
      history.replaceState(state, "");
      expect(pinTo("7").reload()).toBeDefined();
    },
  );

  const DIALOG = { dialog: "news/newsletter", params: { from: "offer" }, page: "/newsletter" };

  test("the dialog survives the reload and is returned once", () => {
    void pinTo("7").reload({ dialog: DIALOG });
    expect(takeDialog()).toEqual(DIALOG);
    expect(takeDialog()).toBeNull();
    expect(history.state).toEqual({ reloadedDeployments: ["7"] });
  });

  test.each([null, 7, { dialog: "anything" }, { dialog: { dialog: 7, params: {} } }])(
    "a history state of %j has no dialog",
    (state) => {
      history.replaceState(state, "");
      expect(takeDialog()).toBeNull();
    },
  );
});
