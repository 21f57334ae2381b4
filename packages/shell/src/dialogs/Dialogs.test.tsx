import { DialogForm, useDialog, type DialogSlotProps } from "@colonnade/kit";
import { ShellContext } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactElement } from "react";
import { Link, MemoryRouter } from "react-router-dom";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fakeSlots, slotLoader } from "../fixtures.js";
import type { DialogParts } from "../parts.js";
import type { Slots } from "../Slot.js";
import { Dialogs, useDialogs } from "./Dialogs.js";

function Newsletter({ open, params, close }: DialogSlotProps): ReactElement {
  return (
    <dialog open={open} aria-label="Newsletter">
      <p>From {params.from ?? "nowhere"}</p>
      <button onClick={close}>Close</button>
    </dialog>
  );
}

const PARTS: DialogParts = {
  Loading: ({ close }) => (
    <dialog open aria-label="Loading">
      <button onClick={close}>Cancel</button>
    </dialog>
  ),
  Failed: ({ retry }) => (
    <dialog open aria-label="Failed">
      <button onClick={() => void retry()}>Try again</button>
    </dialog>
  ),
};

const load = vi.fn<() => Promise<{ Component: typeof Newsletter } | null>>();
const submitted = vi.fn();

function UseDialog(): ReactElement {
  const open = useDialog("newsletter");
  const onClick = (): void => {
    open({ from: "offer" });
  };
  return <button onClick={onClick}>Offer</button>;
}

function Site({ slots }: { readonly slots: Slots }): ReactElement {
  const state = useDialogs();
  return (
    <ShellContext value={{ site: TEST_SITE, configs: {}, openDialog: state.open }}>
      <DialogForm slot="newsletter" page="/newsletter" params={{ from: "footer" }}>
        <button type="submit">Subscribe</button>
      </DialogForm>
      <UseDialog />
      <Link to="/next">Next</Link>
      <Dialogs parts={{ newsletter: PARTS }} slots={slots} state={state} />
    </ShellContext>
  );
}

function show(slots: Slots = fakeSlots({ newsletter: slotLoader(load) })): void {
  render(
    <MemoryRouter>
      <Site slots={slots} />
    </MemoryRouter>,
  );
}

/** Clicks a button. What it loads has then rendered. */
const click = (name: string): Promise<void> => act(() => userEvent.click(screen.getByText(name)));
const dialog = (): Promise<HTMLElement> => screen.findByRole("dialog", { name: "Newsletter" });

beforeEach(() => {
  load.mockReset().mockResolvedValue({ Component: Newsletter });
  submitted.mockReset();
  // After the shell's listener, which cancels the submission of a form that opens a dialog. The DOM would navigate.
  addEventListener("submit", onSubmit);
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  removeEventListener("submit", onSubmit);
  cleanup();
  history.replaceState(null, "");
  vi.restoreAllMocks();
});

function onSubmit(event: Event): void {
  submitted(event.defaultPrevented);
  event.preventDefault();
}

test("a form opens the dialog of its slot with its params, and is not submitted", async () => {
  show();
  await click("Subscribe");
  expect((await dialog()).textContent).toContain("From footer");
  expect(submitted).toHaveBeenCalledExactlyOnceWith(true);
});

test("useDialog opens the dialog with the given params", async () => {
  show();
  await click("Offer");
  expect((await dialog()).textContent).toContain("From offer");
});

test("a dialog closes, stays mounted and opens again with other params", async () => {
  show();
  await click("Offer");
  const element = await dialog();
  await click("Close");
  expect(screen.queryByRole("dialog")).toBeNull();
  await click("Subscribe");
  expect(await dialog()).toBe(element);
  expect(element.textContent).toContain("From footer");
  expect(load).toHaveBeenCalledOnce();
});

test("a navigation closes the dialog", async () => {
  show();
  await click("Offer");
  await dialog();
  await click("Next");
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("intent loads the dialog's code before it opens", async () => {
  show();
  await userEvent.hover(screen.getByText("Subscribe"));
  expect(load).toHaveBeenCalledOnce();
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("the shell's loading dialog shows while the code loads, and can be closed", async () => {
  load.mockReturnValue(new Promise(() => undefined));
  show();
  await click("Subscribe");
  await click("Cancel");
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("the shell's failed dialog shows if the code fails to load, and tries again", async () => {
  load.mockRejectedValueOnce(new Error("offline"));
  show();
  await click("Subscribe");
  await screen.findByRole("dialog", { name: "Failed" });
  await click("Try again");
  expect((await dialog()).textContent).toContain("From footer");
});

test("a form whose slot no section fills is submitted", async () => {
  show(fakeSlots({}));
  await click("Subscribe");
  expect(submitted).toHaveBeenCalledExactlyOnceWith(false);
  await click("Offer");
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a dialog that is gone with its deployment reloads the document, which opens it again", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response()));
  load.mockResolvedValue(null);
  const reload = vi.fn();
  const slots = fakeSlots({ newsletter: slotLoader(load) });
  show({ ...slots, deployment: { ...slots.deployment, reload } });
  await click("Subscribe");
  const opened = { slot: "newsletter", params: { from: "footer" } };
  await waitFor(() => {
    expect(reload).toHaveBeenCalledWith({ dialog: opened });
  });
  cleanup();
  history.replaceState({ dialog: opened }, "");
  load.mockResolvedValue({ Component: Newsletter });
  await act(() => {
    show();
    return Promise.resolve();
  });
  expect((await dialog()).textContent).toContain("From footer");
  expect(history.state).toEqual({});
});
