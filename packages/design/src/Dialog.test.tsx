import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { ReactElement } from "react";
import { afterEach, expect, test, vi } from "vitest";

import { Dialog } from "./Dialog.js";

afterEach(cleanup);

function dialog(open: boolean, close: () => void): ReactElement {
  return (
    <Dialog open={open} close={close} heading="Leave this site?">
      <button type="button">Stay</button>
    </Dialog>
  );
}

function show(): { element: HTMLDialogElement; close: () => void; rerender: (open: boolean) => void } {
  const close = vi.fn();
  const { rerender } = render(dialog(true, close));
  return {
    element: screen.getByRole<HTMLDialogElement>("dialog", { name: "Leave this site?" }),
    close,
    rerender: (open) => {
      rerender(dialog(open, close));
    },
  };
}

test("Dialog opens as a modal named by its focused heading", () => {
  const showModal = vi.spyOn(HTMLDialogElement.prototype, "showModal");
  show();
  expect(showModal).toHaveBeenCalledTimes(1);
  expect(document.activeElement).toBe(screen.getByRole("heading", { level: 2 }));
});

test("a closed Dialog has no contents and restores focus", () => {
  const { element, rerender } = show();
  rerender(false);
  expect(element.open).toBe(false);
  expect(element.childElementCount).toBe(0);
});

test("the close button calls close once", () => {
  const { close } = show();
  fireEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(close).toHaveBeenCalledTimes(1);
});

test("a close by the browser calls close once", () => {
  const { element, close } = show();
  act(() => {
    element.close();
  });
  expect(close).toHaveBeenCalledTimes(1);
});

test("Escape's cancel event calls close before the close event", () => {
  const { element, close } = show();
  fireEvent(element, new Event("cancel", { cancelable: true }));
  expect(close).toHaveBeenCalledTimes(1);
});

test("a click on the backdrop calls close unless it began inside", () => {
  const { element, close } = show();
  fireEvent.pointerDown(screen.getByRole("button", { name: "Stay" }));
  fireEvent.click(element);
  expect(close).not.toHaveBeenCalled();
  fireEvent.pointerDown(element);
  fireEvent.click(element);
  expect(close).toHaveBeenCalledTimes(1);
});

test("the second click of a double-click on the backdrop does not close", () => {
  const { element, close } = show();
  fireEvent.pointerDown(element);
  fireEvent.click(element, { detail: 2 });
  expect(close).not.toHaveBeenCalled();
});
