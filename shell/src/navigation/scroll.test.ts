// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { createScrollMemory } from "./scroll";

function scrollPageTo(top: number): void {
  vi.stubGlobal("scrollY", top);
  window.dispatchEvent(new Event("scroll"));
}

describe("scroll memory", () => {
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

  test("an entry that was scrolled is restored", () => {
    const memory = createScrollMemory();
    memory.follow("a");
    scrollPageTo(420);
    memory.follow("b");
    scrollPageTo(7);
    memory.follow("a");
    expect(memory.restore()).toBe(true);
    expect(scrollTo).toHaveBeenLastCalledWith({ top: 420, behavior: "instant" });
  });

  test("an entry that was never seen is not", () => {
    const memory = createScrollMemory();
    memory.follow("new");
    expect(memory.restore()).toBe(false);
    expect(scrollTo).not.toHaveBeenCalled();
  });

  test("what moves a page before it is restored does not count", () => {
    const memory = createScrollMemory();
    memory.follow("a");
    scrollPageTo(420);
    memory.follow("b");
    memory.follow("a");
    scrollPageTo(7);
    expect(memory.restore()).toBe(true);
    expect(scrollTo).toHaveBeenLastCalledWith({ top: 420, behavior: "instant" });
  });

  test("the history entry knows the position once scrolling has come to rest", () => {
    vi.useFakeTimers();
    const memory = createScrollMemory();
    memory.follow("a");
    scrollPageTo(50);
    scrollPageTo(99);
    expect(history.state).toBeNull();
    vi.runAllTimers();
    expect(history.state).toEqual({ scrollTop: 99 });
  });

  test("the position outlives a reload, without web storage", () => {
    const memory = createScrollMemory();
    memory.follow("a");
    scrollPageTo(99);
    window.dispatchEvent(new Event("pagehide"));
    vi.stubGlobal("scrollY", 0);
    const reloaded = createScrollMemory();
    reloaded.follow("a");
    expect(reloaded.restore()).toBe(true);
    expect(scrollTo).toHaveBeenLastCalledWith({ top: 99, behavior: "instant" });
    expect(sessionStorage.length + localStorage.length).toBe(0);
  });

  test("who has scrolled before the shell was there stays where they are, and comes back there", () => {
    vi.useFakeTimers();
    history.replaceState({ scrollTop: 99 }, "");
    vi.stubGlobal("scrollY", 40);
    const memory = createScrollMemory();
    memory.follow("a");
    expect(memory.restore()).toBe(false);
    expect(scrollTo).not.toHaveBeenCalled();
    vi.runAllTimers();
    expect(history.state).toEqual({ scrollTop: 40 });
  });

  describe("a page that draws more of itself once its code is there", () => {
    /** Restores the position 420, of which a page that is still short reaches 300. */
    function restoreInPart(): ReturnType<typeof createScrollMemory> {
      vi.stubGlobal("requestAnimationFrame", (draw: () => void) => {
        draw();
      });
      history.replaceState({ scrollTop: 420 }, "");
      vi.stubGlobal("scrollY", 0);
      const memory = createScrollMemory();
      memory.follow("a");
      scrollTo.mockImplementationOnce(() => {
        vi.stubGlobal("scrollY", 300);
      });
      memory.restore();
      scrollTo.mockClear();
      return memory;
    }

    test("is scrolled once more to where it was left", () => {
      restoreInPart().settle();
      expect(scrollTo).toHaveBeenLastCalledWith({ top: 420, behavior: "instant" });
    });

    test("is left to a visitor who has moved since, or is at an entry of their own", () => {
      const memory = restoreInPart();
      scrollPageTo(310);
      memory.settle();
      memory.follow("b");
      memory.settle();
      expect(scrollTo).not.toHaveBeenCalled();
    });
  });

  test("an entry whose page is still on its way does not get the position of the one before it", () => {
    history.replaceState({ key: "a" }, "");
    const memory = createScrollMemory();
    memory.follow("a");
    scrollPageTo(99);
    history.pushState({ key: "b" }, "");
    window.dispatchEvent(new Event("pagehide"));
    expect(history.state).toEqual({ key: "b" });
  });

  test("what else an entry remembers stays", () => {
    history.replaceState({ renewed: [7] }, "");
    const memory = createScrollMemory();
    memory.follow("a");
    scrollPageTo(99);
    window.dispatchEvent(new Event("pagehide"));
    expect(history.state).toEqual({ renewed: [7], scrollTop: 99 });
  });

  test.each([7, "far", { scrollTop: "far" }])("a history state of %j is survived", (state) => {
    history.replaceState(state, "");
    const memory = createScrollMemory();
    memory.follow("a");
    expect(memory.restore()).toBe(false);
  });
});
