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

test("JoinButton renders a form that links to the sign-up page", () => {
  const button = show(<JoinButton className="button">Join</JoinButton>);
  expect(button.type).toBe("submit");
  expect(button.className).toBe("button");
  expect(formOf(button)).toEqual({ action: "/join-us", "data-join": "general" });
});

test("JoinButton is described by the referenced element", () => {
  const ad = (
    <>
      <h2 id="ad">Coffee</h2>
      <JoinButton describedBy="ad">Reply</JoinButton>
    </>
  );
  show(ad);
  expect(screen.getByRole("button", { name: "Reply", description: "Coffee" })).toBeTruthy();
});

test("JoinButton passes its reason in the form's data attribute", () => {
  expect(formOf(show(<JoinButton reason="sample">Reply</JoinButton>))[JOIN_ATTRIBUTE]).toBe("sample");
});
