import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import { SignIn } from "./SignIn.js";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const NOTICE = "acme refused to sign you in (access_denied).";

/** Shows the page with these providers, where a sign-in at one fails. */
function show(providers: readonly string[]): void {
  vi.stubGlobal("fetch", (_: string, { method }: RequestInit) =>
    Promise.resolve(
      method === "POST"
        ? new Response(JSON.stringify({ detail: "`github` cannot be reached" }), { status: 503 })
        : new Response(JSON.stringify({ providers: providers.map((name) => ({ name, console: true })) })),
    ),
  );
  render(<SignIn notice={NOTICE} onSession={() => undefined} />);
}

test("SignIn offers providers before the token, and says only what the last attempt did", async () => {
  show(["acme", "github"]);
  await screen.findByRole("button", { name: "Sign in with acme" });
  const buttons = screen.getAllByRole("button");
  expect(buttons.map(({ textContent }) => textContent)).toEqual([
    "Sign in with acme",
    "Sign in with github",
    "Sign in",
  ]);
  expect(document.activeElement).toBe(document.body);
  expect(screen.getByText(NOTICE)).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Sign in with github" }));
  await waitFor(() => {
    expect(screen.getAllByRole("alert").map(({ textContent }) => textContent)).toContain("github cannot be reached");
  });
  expect(screen.queryByText(NOTICE)).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
  expect(screen.queryByText("cannot be reached", { exact: false })).toBeNull();
});

test("SignIn without providers begins with the token", async () => {
  show([]);
  await waitFor(() => {
    expect(document.activeElement).toBe(screen.getByLabelText("Token"));
  });
});

test("SignIn takes a token while the gateway does not say which providers it has", () => {
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
  render(<SignIn onSession={() => undefined} />);
  expect(screen.getByLabelText("Token")).toBeTruthy();
});
