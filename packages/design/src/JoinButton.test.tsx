import { inShell } from "@colonnade/kit/testing";
import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactElement } from "react";
import { afterEach, expect, test, vi } from "vitest";

import { JoinButton, useJoin } from "./JoinButton.js";
import { integrations } from "./testing.js";

afterEach(cleanup);

function show(button: ReactElement): HTMLButtonElement {
  render(inShell(button, { site: { integrations: integrations({ page: "/join-us" }) } }));
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
  expect(formOf(button)).toEqual({ action: "/join-us", "data-dialog": "signup/join", "data-params": "reason=general" });
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

test("JoinButton passes its reason", () => {
  expect(formOf(show(<JoinButton reason="sample">Reply</JoinButton>))["data-params"]).toBe("reason=sample");
});

test("useJoin opens the dialog with the given reason or general", async () => {
  const onDialog = vi.fn();
  function Buttons(): ReactElement {
    const join = useJoin();
    return (
      <>
        <button
          onClick={() => {
            join();
          }}
        >
          Join
        </button>
        <button
          onClick={() => {
            join("sample");
          }}
        >
          Reply
        </button>
      </>
    );
  }
  render(inShell(<Buttons />, { onDialog }));
  for (const name of ["Join", "Reply"]) await userEvent.click(screen.getByRole("button", { name }));
  expect(onDialog.mock.calls).toEqual([
    ["signup/join", { reason: "general" }],
    ["signup/join", { reason: "sample" }],
  ]);
});
