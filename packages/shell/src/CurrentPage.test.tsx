import { inShell } from "@colonnade/kit/testing";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { ComponentProps } from "react";
import { afterEach, expect, test, vi } from "vitest";

import { CurrentPage } from "./CurrentPage.js";
import { PARTS } from "./fixtures.js";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

/** Shows a page that failed to load. Returns what a retry calls. */
function showFailed(): { readonly invalidate: () => void; readonly unmount: () => void } {
  const failed = { kind: "failed" } as const;
  const invalidate = vi.fn();
  const views = { load: () => Promise.resolve(failed), serverView: () => failed, setCurrent: vi.fn(), invalidate };
  const transitions = { isCurrent: () => true, complete: vi.fn(), isPending: false };
  const props = { parts: PARTS, views, transitions, scroll: { setEntry: vi.fn() }, announce: vi.fn() };
  const { unmount } = render(inShell(<CurrentPage {...(props as unknown as ComponentProps<typeof CurrentPage>)} />));
  return { invalidate, unmount };
}

test.each([
  ["offline", 1],
  ["online", 0],
])("a page that failed while the browser was %s is retried %i times when it is online again", (state, times) => {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(state === "online");
  const { invalidate, unmount } = showFailed();
  expect(screen.getByText("Try again")).toBeTruthy();
  fireEvent(window, new Event("online"));
  expect(invalidate).toHaveBeenCalledTimes(times);
  unmount();
  fireEvent(window, new Event("online"));
  expect(invalidate).toHaveBeenCalledTimes(times);
});
