import type { JoinReason } from "@colonnade/design";
import { inShell } from "@colonnade/kit/testing";
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { StrictMode, useState, type ReactElement } from "react";
import { beforeEach, describe, expect, it, vi, type Mock } from "vitest";

import {
  fillForm,
  FORM_VALUES,
  input,
  mockJsonResponse,
  mockPendingResponse,
  WITH_BACKEND,
  WITH_PARTNER,
} from "../testing/signup";
import JoinDialog from "./join";

// Opening as a modal and the ways to close are tested with the kit's dialog.

const navigate = vi.hoisted(() => vi.fn());
vi.mock("@colonnade/kit", async (original) => ({ ...(await original<object>()), useNavigate: () => navigate }));

beforeEach(() => {
  navigate.mockReset();
});

function dialogIn(): HTMLDialogElement {
  const dialog = document.querySelector("dialog");
  if (!dialog) throw new Error("the document has no dialog");
  return dialog;
}

function show(reason: JoinReason = "general", site = WITH_BACKEND): { dialog: HTMLDialogElement; close: Mock } {
  const close = vi.fn();
  render(inShell(<JoinDialog open params={{ reason }} close={close} />, { site }));
  return { dialog: dialogIn(), close };
}

// Like the shell: a button opens the dialog, and `close` closes it.
function Shell(): ReactElement {
  const [open, setOpen] = useState(true);
  return (
    <StrictMode>
      <button
        type="button"
        onClick={() => {
          setOpen(true);
        }}
      >
        Join Free
      </button>
      <JoinDialog
        open={open}
        params={{ reason: "general" }}
        close={() => {
          setOpen(false);
        }}
      />
    </StrictMode>
  );
}

function showInShell(site = WITH_BACKEND): HTMLDialogElement {
  render(inShell(<Shell />, { site }));
  return dialogIn();
}

const SAMPLE = "These ads are samples. Nobody receives a reply, and signing up unlocks no photos or further ads.";

describe("the dialog", () => {
  it("explains samples first when opened from a sample", () => {
    const { dialog } = show("sample");
    const notice = screen.getByText(SAMPLE);
    expect(dialog.getAttribute("aria-describedby")).toBe(notice.id);
    expect([...dialog.querySelectorAll("h2, p, input")].slice(0, 2)).toEqual([screen.getByRole("heading"), notice]);
  });

  it("does not mention samples otherwise", () => {
    show();
    expect(screen.queryByText(SAMPLE)).toBeNull();
  });

  it("has no form without a sign-up service, but a button to close", async () => {
    const { dialog, close } = show("sample", {});
    expect(screen.getByRole("dialog", { name: "Sign-up isn’t available" })).toBe(dialog);
    expect(dialog.querySelector("form, input")).toBeNull();
    await userEvent.click(screen.getByText("Close"));
    expect(close).toHaveBeenCalledTimes(1);
  });
});

describe("closing the dialog", () => {
  it("with 'Cancel' calls close once, also while sending", async () => {
    const { close } = show();
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(close).toHaveBeenCalledTimes(1);
    mockPendingResponse();
    fillForm();
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(close).toHaveBeenCalledTimes(2);
  });

  it("aborts the request, and keeps email and age in memory, but no password", async () => {
    const fetchMock = mockPendingResponse();
    const dialog = showInShell();
    fillForm();
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(fetchMock.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
    expect(navigate).not.toHaveBeenCalled();
    expect([dialog.open, dialog.childElementCount]).toEqual([false, 0]);
    await userEvent.click(screen.getByRole("button", { name: "Join Free" }));
    expect(dialog.open).toBe(true);
    expect([input("Email"), input("Age"), input("Password")].map(({ value }) => value)).toEqual([
      FORM_VALUES.email,
      FORM_VALUES.age,
      "",
    ]);
    expect([Object.keys(sessionStorage), localStorage.length]).toEqual([["sent"], 0]);
    expect(screen.getByRole("button", { name: "Continue" })).toBeTruthy();
  });

  it.each([
    ["the countdown", 503, { error: "Down.", unreachable: true }, "Taking you to Example Partner in 7 seconds."],
    [
      "a redirect to another origin",
      200,
      { redirectUrl: "https://members.example.com/welcome" },
      "Your account was created. We’re taking you to members.example.com.",
    ],
  ])("cancels %s", async (what, status, body, shown) => {
    vi.useFakeTimers();
    vi.spyOn(console, "warn").mockReturnValue();
    const assign = vi.spyOn(window.location, "assign").mockReturnValue();
    mockJsonResponse(status, body);
    const dialog = showInShell(WITH_PARTNER);
    fillForm();
    fireEvent.click(screen.getByRole("button", { name: "Continue" }));
    await act(() => vi.advanceTimersByTimeAsync(0));
    await act(() => vi.advanceTimersByTimeAsync(what === "the countdown" ? 3_000 : 1_000));
    expect(dialog.textContent).toContain(shown);
    fireEvent.click(screen.getByRole("button", { name: "Close" }));
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(assign).not.toHaveBeenCalled();
  });
});

describe("a sign-up in the dialog", () => {
  it("closes it and then navigates on success", async () => {
    mockJsonResponse(200, {});
    const { close } = show();
    fillForm();
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    await waitFor(() => {
      expect(navigate).toHaveBeenCalledWith("/success");
    });
    expect(close.mock.invocationCallOrder[0]).toBeLessThan(navigate.mock.invocationCallOrder[0] ?? 0);
  });

  it("stays open on an error", async () => {
    mockJsonResponse(429, { error: "Too many sign-ups." });
    const { dialog, close } = show("general", WITH_PARTNER);
    fillForm();
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    expect((await screen.findByRole("alert")).textContent).toBe("Too many sign-ups.");
    expect(dialog.open).toBe(true);
    expect(close).not.toHaveBeenCalled();
  });
});
