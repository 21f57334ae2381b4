// @vitest-environment happy-dom
import { NavigationType } from "react-router-dom";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { searchNames } from "../loading/reload.js";
import type { View, Views } from "../loading/view.js";
import { createRouterHistory, type RouterState } from "./history.js";
import { updateHistoryState } from "./historyState.js";
import type { ViewTransitions } from "./viewTransitions.js";

const VIEW: View = { kind: "failed" };

describe("createRouterHistory", () => {
  const published = vi.fn<(state: RouterState) => void>();
  let currentPath: string;
  let awaitsHydration: boolean;
  let isStale: boolean;
  let finishLoading: () => void;
  let unsubscribe: () => void;

  function create(): ReturnType<typeof createRouterHistory> {
    const views: Pick<Views, "awaitsHydration" | "invalidate" | "load"> = {
      awaitsHydration: () => awaitsHydration,
      invalidate: () => isStale,
      load: () =>
        new Promise((resolve) => {
          finishLoading = () => {
            resolve(VIEW);
          };
        }),
    };
    const transitions: Pick<ViewTransitions, "isCurrent" | "prepare"> = {
      isCurrent: (path) => path === currentPath,
      prepare: (_entry, _path, loading) => loading,
    };
    const created = createRouterHistory(views as Views, transitions as ViewTransitions);
    unsubscribe = created.subscribe(published);
    return created;
  }

  /** What the browser does for Back and Forward: it changes the URL and the state, then fires `popstate`. */
  function pop(path: string, key: string): void {
    history.replaceState({ key, idx: 0, usr: null }, "", path);
    window.dispatchEvent(new PopStateEvent("popstate", { state: history.state as unknown }));
  }

  const isPending = (): boolean => document.documentElement.hasAttribute("data-navigating");

  /** The published actions and paths. */
  function updates(): string[] {
    return published.mock.calls.map(([{ action, location }]) => `${action} ${location.pathname}`);
  }

  beforeEach(() => {
    searchNames.set("/here", []);
    history.replaceState(null, "", "/here");
    currentPath = "/here";
    awaitsHydration = false;
    isStale = true;
    published.mockClear();
  });

  afterEach(() => {
    unsubscribe();
    document.documentElement.removeAttribute("data-navigating");
  });

  test.each([
    ["the URL of the current page", "/here?x=1", true],
    ["another query", "/here", false],
    ["a fragment", "/here?x=1#y", false],
    ["another page", "/there?x=1", true],
  ])("a link to %s is pending: %s → %s", (_, path, expected) => {
    history.replaceState(null, "", "/here?x=1");
    create().navigator.push(path);
    expect(isPending()).toBe(expected);
  });

  test("a link to the current page is not pending if the page cannot change", () => {
    isStale = false;
    create().navigator.push("/here");
    expect(isPending()).toBe(false);
    expect(updates()).toEqual(["PUSH /here"]);
  });

  test("push and replace are published at once, with a new key each", () => {
    const { navigator } = create();
    navigator.push("/a?x=1#y");
    navigator.replace("/b");
    expect(updates()).toEqual(["PUSH /a", "REPLACE /b"]);
    const [first, second] = published.mock.calls.map(([{ location }]) => location);
    expect(first).toMatchObject({ pathname: "/a", search: "?x=1", hash: "#y" });
    expect(first?.key).not.toBe(second?.key);
    expect(history.state).toMatchObject({ key: second?.key });
  });

  test("a pop to another page is published once the page is loaded", async () => {
    const router = create();
    pop("/there", "k");
    expect(isPending()).toBe(true);
    expect(published).not.toHaveBeenCalled();
    expect(router.state.location.pathname).toBe("/here");
    finishLoading();
    await vi.waitFor(() => {
      expect(updates()).toEqual([`${NavigationType.Pop} /there`]);
    });
    expect(router.state.location).toMatchObject({ pathname: "/there", key: "k" });
  });

  test("a pop within the current page is published at once", () => {
    document.documentElement.toggleAttribute("data-navigating", true);
    create();
    pop("/here#faq", "k");
    expect(updates()).toEqual(["POP /here"]);
    expect(isPending()).toBe(false);
  });

  test("a pop within a page that awaits hydration is not published", () => {
    awaitsHydration = true;
    create();
    pop("/here#faq", "k");
    expect(published).not.toHaveBeenCalled();
  });

  test("a pop to a page that awaits hydration restores its state", () => {
    const router = create();
    const { state } = router;
    router.navigator.push("/there");
    awaitsHydration = true;
    pop("/here", "k");
    expect(router.state).toBe(state);
    expect(isPending()).toBe(false);
  });

  test("a pop event of the current entry changes nothing", () => {
    const router = create();
    router.navigator.push("/here#faq");
    published.mockClear();
    window.dispatchEvent(new PopStateEvent("popstate", { state: history.state as unknown }));
    expect(published).not.toHaveBeenCalled();
  });

  test("a pop is dropped if another navigation starts meanwhile", async () => {
    const { navigator } = create();
    pop("/there", "k");
    const finishFirst = finishLoading;
    navigator.push("/elsewhere");
    finishFirst();
    await Promise.resolve();
    pop("/back", "l");
    finishLoading();
    await vi.waitFor(() => {
      expect(updates()).toEqual(["PUSH /elsewhere", "POP /back"]);
    });
  });

  test("other listeners receive each popstate event once", () => {
    const listener = vi.fn();
    create();
    addEventListener("popstate", listener);
    pop("/there", "k");
    removeEventListener("popstate", listener);
    expect(listener).toHaveBeenCalledOnce();
  });

  test("an app that follows the window's history does not learn of navigations", () => {
    const follow = vi.fn();
    const { navigator } = create();
    Object.assign(history, { pushState: follow, replaceState: follow });
    navigator.push("/a");
    navigator.replace("/b");
    updateHistoryState({ scrollTop: 3 });
    Reflect.deleteProperty(history, "pushState");
    Reflect.deleteProperty(history, "replaceState");
    expect(follow).not.toHaveBeenCalled();
    expect(updates()).toEqual(["PUSH /a", "REPLACE /b"]);
    expect(location.pathname).toBe("/b");
  });

  test("the shell's fields of history state are preserved", () => {
    history.replaceState({ scrollTop: 7 }, "");
    create();
    expect(history.state).toMatchObject({ scrollTop: 7 });
  });
});
