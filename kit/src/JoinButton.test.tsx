import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import { JOIN_ACTION, JOIN_ATTRIBUTE, JoinButton } from "./JoinButton.js";

afterEach(cleanup);

function formOf(button: HTMLElement): Record<string, string> {
  const form = button.closest("form");
  return Object.fromEntries([...(form?.attributes ?? [])].map(({ name, value }) => [name, value]));
}

test("a join button is a form that leads to the sign-up page without JavaScript", () => {
  render(<JoinButton className="button">Join</JoinButton>);
  const button = screen.getByRole<HTMLButtonElement>("button", { name: "Join" });
  expect(button.type).toBe("submit");
  expect(button.className).toBe("button");
  expect(formOf(button)).toEqual({ action: "/signup", "data-join": "general" });
});

test("a join button says why it was pressed", () => {
  render(<JoinButton reason="sample">Reply</JoinButton>);
  expect(formOf(screen.getByRole("button", { name: "Reply" }))).toEqual({ action: "/signup", "data-join": "sample" });
});

test("the shell finds the form by the exported names", () => {
  render(<JoinButton>Join</JoinButton>);
  expect(formOf(screen.getByRole("button"))).toEqual({ action: JOIN_ACTION, [JOIN_ATTRIBUTE]: "general" });
});
