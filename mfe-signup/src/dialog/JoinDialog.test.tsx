import { defineSection, defineSlot, type JoinReason, type JoinSlotProps } from "@colonnade/kit";
import { renderSlot } from "@colonnade/kit/testing";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { StrictMode, useState, type ReactElement } from "react";
import { beforeEach, describe, expect, it, vi, type Mock } from "vitest";

import section from "../section";
import { mockJsonResponse, mockPendingResponse, WITH_BACKEND, fillForm, input, WITH_PARTNER } from "../testing/signup";
import { JoinDialog } from "./JoinDialog";

const navigate = vi.hoisted(() => vi.fn());
vi.mock("@colonnade/kit", async (original) => ({ ...(await original<object>()), useNavigate: () => navigate }));

beforeEach(() => {
  navigate.mockReset();
});

function dialogIn(): HTMLDialogElement {
  const dialog = document.querySelector("dialog");
  if (!dialog) throw new Error("the slot has no dialog");
  return dialog;
}

async function show(
  props: Partial<JoinSlotProps> = {},
  site = WITH_BACKEND,
): Promise<{ dialog: HTMLDialogElement; close: Mock }> {
  const close = vi.fn();
  await renderSlot(section, "join", { open: true, reason: "general", close, ...props }, { site });
  return { dialog: dialogIn(), close };
}

// Like the shell: a button opens the dialog, and `close` closes it.
function Shell(props: JoinSlotProps): ReactElement {
  const [open, setOpen] = useState(props.open);
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
        {...props}
        open={open}
        close={() => {
          setOpen(false);
        }}
      />
    </StrictMode>
  );
}

async function showInShell(site = WITH_BACKEND): Promise<{ dialog: HTMLDialogElement }> {
  const shell = defineSection({
    ...section,
    slots: { join: () => Promise.resolve({ slot: defineSlot({ Component: Shell }) }) },
  });
  await renderSlot(shell, "join", { open: true, reason: "general", close: () => undefined }, { site });
  return { dialog: dialogIn() };
}

const SAMPLE = "These ads are samples. Nobody receives a reply, and signing up unlocks no photos or further ads.";

describe("the dialog", () => {
  it("is closed and empty until opened", async () => {
    const { dialog } = await show({ open: false });
    expect(dialog.open).toBe(false);
    expect(dialog.childElementCount).toBe(0);
  });

  it("opens as a modal labeled by its heading, with focus", async () => {
    const showModal = vi.spyOn(HTMLDialogElement.prototype, "showModal");
    const { dialog } = await show();
    expect(showModal).toHaveBeenCalledTimes(1);
    expect(screen.getByRole("dialog", { name: "Create your account" })).toBe(dialog);
    expect(document.activeElement).toBe(screen.getByRole("heading", { level: 2 }));
  });

  it("contains the form with its fields and button", async () => {
    const { dialog } = await show();
    expect([...dialog.querySelectorAll("input")].map((input) => input.name)).toEqual(["email", "password", "age"]);
    expect(screen.getByRole("button", { name: "Continue" })).not.toBeNull();
  });

  it("explains samples first when opened from a sample", async () => {
    const { dialog } = await show({ reason: "sample" });
    const notice = screen.getByText(SAMPLE);
    expect(dialog.getAttribute("aria-describedby")).toBe(notice.id);
    expect(
      notice.compareDocumentPosition(screen.getByLabelText("Email")) & Node.DOCUMENT_POSITION_FOLLOWING,
    ).toBeTruthy();
  });

  it("does not mention samples otherwise", async () => {
    await show();
    expect(screen.queryByText(SAMPLE)).toBeNull();
  });
});

describe("closing the dialog", () => {
  it("with its button calls close once", async () => {
    const { close } = await show();
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(close).toHaveBeenCalledTimes(1);
  });

  it("with 'Cancel' calls close once, also while sending", async () => {
    const { close } = await show();
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(close).toHaveBeenCalledTimes(1);
    mockPendingResponse();
    fillForm();
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(close).toHaveBeenCalledTimes(2);
  });

  it("natively, for example with Escape, calls close once", async () => {
    const { dialog, close } = await show();
    act(() => {
      dialog.close();
    });
    expect(close).toHaveBeenCalledTimes(1);
  });

  it("with a click on the backdrop calls close once", async () => {
    const { dialog, close } = await show();
    fireEvent.pointerDown(dialog);
    fireEvent.click(dialog);
    expect(close).toHaveBeenCalledTimes(1);
  });

  it("does not happen when the press began inside", async () => {
    const { dialog, close } = await show();
    fireEvent.pointerDown(screen.getByLabelText("Email"));
    fireEvent.click(dialog);
    expect(close).not.toHaveBeenCalled();
  });

  it("does not happen on a click inside", async () => {
    const { close } = await show();
    await userEvent.click(screen.getByLabelText("Email"));
    expect(close).not.toHaveBeenCalled();
  });

  it("closes the element and discards the values", async () => {
    const { dialog } = await showInShell();
    fillForm();
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(dialog.open).toBe(false);
    expect(dialog.childElementCount).toBe(0);
    await userEvent.click(screen.getByRole("button", { name: "Join Free" }));
    expect(dialog.open).toBe(true);
    expect(input("Password").value).toBe("");
  });

  it("aborts the request", async () => {
    const fetchMock = mockPendingResponse();
    await showInShell();
    fillForm();
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(fetchMock.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
    expect(navigate).not.toHaveBeenCalled();
  });

  it("cancels the countdown", async () => {
    vi.useFakeTimers();
    vi.spyOn(console, "warn").mockReturnValue();
    const assign = vi.spyOn(window.location, "assign").mockReturnValue();
    mockJsonResponse(503, { error: "Down.", unreachable: true });
    await showInShell(WITH_PARTNER);
    fillForm();
    fireEvent.click(screen.getByRole("button", { name: "Continue" }));
    await act(() => vi.advanceTimersByTimeAsync(0));
    await act(() => vi.advanceTimersByTimeAsync(3_000));
    expect(screen.getByRole("timer").textContent).toBe("Taking you to Example Partner in 7 seconds.");
    fireEvent.click(screen.getByRole("button", { name: "Close" }));
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(assign).not.toHaveBeenCalled();
  });

  it("cancels a redirect to another origin", async () => {
    vi.useFakeTimers();
    const assign = vi.spyOn(window.location, "assign").mockReturnValue();
    mockJsonResponse(200, { redirectUrl: "https://members.example.com/welcome" });
    await showInShell();
    fillForm();
    fireEvent.click(screen.getByRole("button", { name: "Continue" }));
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect(screen.getByRole("status").textContent).toContain("members.example.com");
    fireEvent.click(screen.getByRole("button", { name: "Close" }));
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(assign).not.toHaveBeenCalled();
  });
});

describe("a sign-up in the dialog", () => {
  it.each<JoinReason>(["general", "sample"])("closes it and navigates on success (%s)", async (reason) => {
    mockJsonResponse(200, {});
    const { close } = await show({ reason });
    fillForm();
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    await waitFor(() => {
      expect(navigate).toHaveBeenCalledWith("/success");
    });
    expect(close.mock.invocationCallOrder[0]).toBeLessThan(navigate.mock.invocationCallOrder[0] ?? 0);
  });

  it("stays open on an error", async () => {
    mockJsonResponse(429, { error: "Too many sign-ups." });
    const { dialog, close } = await show({}, WITH_PARTNER);
    fillForm();
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    expect((await screen.findByRole("alert")).textContent).toBe("Too many sign-ups.");
    expect(dialog.open).toBe(true);
    expect(close).not.toHaveBeenCalled();
  });
});
