import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import { Button } from "./Button.js";

afterEach(cleanup);

test("Button does not submit a form by default", () => {
  render(
    <>
      <Button>Show</Button>
      <Button type="submit">Send</Button>
    </>,
  );
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Show" }).type).toBe("button");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Send" }).type).toBe("submit");
});

test("Button with `to` renders a link", () => {
  render(
    <Button to="/terms" quiet className="mine">
      Terms
    </Button>,
  );
  const link = screen.getByRole("link", { name: "Terms" });
  expect(link.getAttribute("href")).toBe("/terms");
  expect(link.className).toBe("button quiet mine");
});

test("a busy Button ignores clicks, has aria-busy and keeps focus", () => {
  const onClick = vi.fn();
  const onSubmit = vi.fn();
  const form = (busy: boolean) => (
    <form onSubmit={onSubmit}>
      <Button type="submit" busy={busy} onClick={onClick}>
        Send
      </Button>
    </form>
  );
  const { rerender } = render(form(false));
  const button = screen.getByRole("button");
  button.focus();
  rerender(form(true));
  fireEvent.click(button);
  expect(onClick).not.toHaveBeenCalled();
  expect(onSubmit).not.toHaveBeenCalled();
  expect(button.getAttribute("aria-busy")).toBe("true");
  expect(button.getAttribute("aria-disabled")).toBe("true");
  expect(document.activeElement).toBe(button);
});
