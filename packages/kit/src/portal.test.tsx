import { cleanup, render, renderHook, screen } from "@testing-library/react";
import { useLayoutEffect, useRef, type ReactElement } from "react";
import { createPortal } from "react-dom";
import { renderToString } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";

import { SectionContext } from "./context.js";
import { usePortalContainer } from "./portal.js";

afterEach(cleanup);

function Focused(): ReactElement {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    button.current?.focus();
  }, []);
  return <button ref={button}>Close</button>;
}

function Overlay(): ReactElement {
  const container = usePortalContainer();
  return <section>{container && createPortal(<Focused />, container)}</section>;
}

const PAGE = (
  <SectionContext value="hello">
    <Overlay />
  </SectionContext>
);

test("the container is a child of the body with the section's class, as long as the component is mounted", () => {
  const { unmount } = render(PAGE);
  const button = screen.getByRole("button", { name: "Close" });
  const container = button.parentElement;
  expect(container?.className).toBe("hello_scope");
  expect(document.body.lastElementChild).toBe(container);
  // The rules of `body`, which also match the class, give it no size.
  expect(container && getComputedStyle(container).display).toBe("contents");
  // The content's own effects find it in the document.
  expect(document.activeElement).toBe(button);
  unmount();
  expect(document.querySelector(".hello_scope")).toBeNull();
});

test("there is no container on the server and during hydration", () => {
  const error = vi.spyOn(console, "error");
  const root = document.createElement("div");
  document.body.append(root);
  root.innerHTML = renderToString(PAGE);
  expect(root.innerHTML).toBe("<section></section>");
  render(PAGE, { container: root, hydrate: true });
  expect(screen.getByRole("button", { name: "Close" })).toBeTruthy();
  expect(error).not.toHaveBeenCalled();
});

test("usePortalContainer throws outside of a section", () => {
  vi.spyOn(console, "error").mockReturnValueOnce();
  expect(() => renderHook(() => usePortalContainer())).toThrow("usePortalContainer() was called outside the shell");
});
