import { cleanup, render, screen } from "@testing-library/react";
import type { ReactElement } from "react";
import { afterEach, expect, test } from "vitest";

import { ShellContext } from "./context.js";
import { JOIN_ATTRIBUTE, JoinButton } from "./JoinButton.js";
import { TEST_SITE } from "./testing/index.js";

afterEach(cleanup);

function show(button: ReactElement): HTMLButtonElement {
  const site = { ...TEST_SITE, signup: { ...TEST_SITE.signup, page: "/join-us" } };
  render(<ShellContext value={{ site, openJoin: () => undefined }}>{button}</ShellContext>);
  return screen.getByRole<HTMLButtonElement>("button");
}

function formOf(button: HTMLElement): Record<string, string> {
  const form = button.closest("form");
  return Object.fromEntries([...(form?.attributes ?? [])].map(({ name, value }) => [name, value]));
}

test("a join button is a form that leads to the configured sign-up page without JavaScript", () => {
  const button = show(<JoinButton className="button">Join</JoinButton>);
  expect(button.type).toBe("submit");
  expect(button.className).toBe("button");
  expect(formOf(button)).toEqual({ action: "/join-us", "data-join": "general" });
});

test("a join button is described by what it is about", () => {
  const ad = (
    <>
      <h2 id="ad">Coffee</h2>
      <JoinButton describedBy="ad">Reply</JoinButton>
    </>
  );
  show(ad);
  expect(screen.getByRole("button", { name: "Reply", description: "Coffee" })).toBeTruthy();
});

test("a join button says why it was pressed, where the shell looks for it", () => {
  expect(formOf(show(<JoinButton reason="sample">Reply</JoinButton>))[JOIN_ATTRIBUTE]).toBe("sample");
});
