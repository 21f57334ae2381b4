// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { createScrollRestoration } from "./scrollRestoration.js";

function scrollPageTo(top: number): void {
  vi.stubGlobal("scrollY", top);
  window.dispatchEvent(new Event("scroll"));
}

describe("scroll restoration", () => {
  const scrollTo = vi.fn();

  beforeEach(() => {
    history.replaceState(null, "");
    scrollTo.mockClear();
    vi.stubGlobal("scrollTo", scrollTo);
  });

  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  test("restore scrolls to the saved position", () => {
    const scroll = createScrollRestoration();
    scroll.setEntry("a");
    scrollPageTo(420);
    scroll.setEntry("b");
    scrollPageTo(7);
    scroll.setEntry("a");
    expect(scroll.restore()).toBe(true);
    expect(scrollTo).toHaveBeenLastCalledWith({ top: 420, behavior: "instant" });
  });

  test("restore returns false for a new entry", () => {
    const scroll = createScrollRestoration();
    scroll.setEntry("new");
    expect(scroll.restore()).toBe(false);
    expect(scrollTo).not.toHaveBeenCalled();
  });

  test("scrolling before restore keeps the saved position", () => {
    const scroll = createScrollRestoration();
    scroll.setEntry("a");
    scrollPageTo(420);
    scroll.setEntry("b");
    scroll.setEntry("a");
    scrollPageTo(7);
    expect(scroll.restore()).toBe(true);
    expect(scrollTo).toHaveBeenLastCalledWith({ top: 420, behavior: "instant" });
  });

  test("the position is saved in history state after scrolling stops", () => {
    vi.useFakeTimers();
    const scroll = createScrollRestoration();
    scroll.setEntry("a");
    scrollPageTo(50);
    scrollPageTo(99);
    expect(history.state).toBeNull();
    vi.runAllTimers();
    expect(history.state).toEqual({ scrollTop: 99 });
  });

  test("positions of earlier entries survive a reload", () => {
    history.replaceState({ key: "a", scrollTop: 420 }, "");
    const reloaded = createScrollRestoration();
    history.replaceState({ key: "b" }, "");
    reloaded.setEntry("b");
    expect(reloaded.restore()).toBe(false);
    history.replaceState({ key: "a", scrollTop: 420 }, "");
    reloaded.setEntry("a");
    expect(reloaded.restore()).toBe(true);
    expect(scrollTo).toHaveBeenLastCalledWith({ top: 420, behavior: "instant" });
  });

  test("the position survives a reload, without web storage", () => {
    const scroll = createScrollRestoration();
    scroll.setEntry("a");
    scrollPageTo(99);
    window.dispatchEvent(new Event("pagehide"));
    vi.stubGlobal("scrollY", 0);
    const reloaded = createScrollRestoration();
    reloaded.setEntry("a");
    expect(reloaded.restore()).toBe(true);
    expect(scrollTo).toHaveBeenLastCalledWith({ top: 99, behavior: "instant" });
    expect(sessionStorage.length + localStorage.length).toBe(0);
  });

  test("a position scrolled to before the shell started is kept", () => {
    vi.useFakeTimers();
    history.replaceState({ scrollTop: 99 }, "");
    vi.spyOn(performance, "getEntriesByType").mockReturnValueOnce([{}] as PerformanceEntryList);
    vi.stubGlobal("scrollY", 40);
    const scroll = createScrollRestoration();
    scroll.setEntry("a");
    expect(scroll.restore()).toBe(false);
    expect(scrollTo).not.toHaveBeenCalled();
    vi.runAllTimers();
    expect(history.state).toEqual({ scrollTop: 40 });
  });

  test("the position of a page that is not painted yet is not read", () => {
    const scrollY = vi.spyOn(window, "scrollY", "get");
    createScrollRestoration().setEntry("a");
    expect(scrollY).not.toHaveBeenCalled();
    scrollY.mockRestore();
  });

  describe("a page that grows when it hydrates", () => {
    /** Restores the position 420, but the page is still short and scrolls only to 300. */
    function restorePartially(): ReturnType<typeof createScrollRestoration> {
      vi.useFakeTimers();
      history.replaceState({ scrollTop: 420 }, "");
      vi.stubGlobal("scrollY", 0);
      const scroll = createScrollRestoration();
      scroll.setEntry("a");
      scrollTo.mockImplementationOnce(() => {
        vi.stubGlobal("scrollY", 300);
      });
      scroll.restore();
      scrollTo.mockClear();
      return scroll;
    }

    test("is scrolled to the saved position again", () => {
      restorePartially().restoreAfterHydration();
      vi.runAllTimers();
      expect(scrollTo).toHaveBeenLastCalledWith({ top: 420, behavior: "instant" });
    });

    test("is not scrolled if the visitor scrolled or navigated", () => {
      const scroll = restorePartially();
      scrollPageTo(310);
      scroll.restoreAfterHydration();
      scroll.setEntry("b");
      scroll.restoreAfterHydration();
      vi.runAllTimers();
      expect(scrollTo).not.toHaveBeenCalled();
    });

    test("is not scrolled if the visitor navigates within the frame", () => {
      const scroll = restorePartially();
      scroll.restoreAfterHydration();
      scroll.setEntry("b");
      vi.runAllTimers();
      expect(scrollTo).not.toHaveBeenCalled();
    });
  });

  test("a pending entry does not get the old page's position", () => {
    history.replaceState({ key: "a" }, "");
    const scroll = createScrollRestoration();
    scroll.setEntry("a");
    scrollPageTo(99);
    history.pushState({ key: "b" }, "");
    window.dispatchEvent(new Event("pagehide"));
    expect(history.state).toEqual({ key: "b" });
  });

  test("other fields of history state are preserved", () => {
    history.replaceState({ reloadedDeployments: [7] }, "");
    const scroll = createScrollRestoration();
    scroll.setEntry("a");
    scrollPageTo(99);
    window.dispatchEvent(new Event("pagehide"));
    expect(history.state).toEqual({ reloadedDeployments: [7], scrollTop: 99 });
  });

  test.each([7, "far", { scrollTop: "far" }])("a history state of %j is tolerated", (state) => {
    history.replaceState(state, "");
    const scroll = createScrollRestoration();
    scroll.setEntry("a");
    expect(scroll.restore()).toBe(false);
  });
});
