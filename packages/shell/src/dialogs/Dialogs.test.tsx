import { DialogForm, DialogLink, useConfig, useDialog, type DialogProps } from "@colonnade/kit";
import { ShellContext } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ComponentType, ReactElement } from "react";
import { Link, MemoryRouter, useLocation } from "react-router-dom";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { DeploymentStatus } from "../loading/pageEndpoint.js";
import { NotExposedError, type ExposedComponent } from "../loading/remotes.js";
import type { DialogParts } from "../parts.js";
import { createDialogLoader, preloadDialogs } from "./dialogLoader.js";
import { Dialogs, useDialogs } from "./Dialogs.js";

const DIALOG = "news/newsletter";

function Newsletter({ open, params, close }: DialogProps): ReactElement {
  return (
    <dialog open={open} aria-label="Newsletter">
      <p>
        From {params.from ?? "nowhere"} by {useConfig<{ readonly sender: string }>().sender}
      </p>
      <button onClick={close}>Close</button>
    </dialog>
  );
}

function exposed(Component: ComponentType<DialogProps> = Newsletter): ExposedComponent {
  const section = { name: "news", version: "1.0.0", container: "", entry: "", integrity: "", exposes: {} };
  return { section, assets: [], Component: Component as ComponentType };
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

const load = vi.fn<(id: string) => Promise<ExposedComponent>>();
const report = vi.fn();
const reload = vi.fn();
let status: DeploymentStatus = "retained";
/** Whether the first page is idle, so that what loads dialogs is there. */
let started = Promise.resolve();
const submitted = vi.fn();

function createLoader(): ReturnType<typeof createDialogLoader> {
  const deployment = { status: () => Promise.resolve(status), reload, report };
  return createDialogLoader({ loadComponent: load, deployment });
}

function UseDialog(): ReactElement {
  const open = useDialog(DIALOG, "/newsletter");
  const onClick = (): void => {
    open({ from: "offer" });
  };
  return <button onClick={onClick}>Offer</button>;
}

const SERVICES = { site: TEST_SITE, configs: { news: { sender: "Editor" } }, ExtensionPlace: () => null };

interface SiteProps {
  readonly start: () => Promise<{ readonly dialogs: ReturnType<typeof createDialogLoader> }>;
}

function Site({ start }: SiteProps): ReactElement {
  const state = useDialogs();
  return (
    <ShellContext value={{ ...SERVICES, openDialog: state.open }}>
      <h1>{useLocation().pathname}</h1>
      <DialogForm dialog={DIALOG} page="/newsletter" params={{ from: "footer" }}>
        <button type="submit">Subscribe</button>
      </DialogForm>
      <DialogLink dialog={DIALOG} page="/newsletter" params={{ from: "link" }}>
        News
      </DialogLink>
      <UseDialog />
      <Link to="/next">Next</Link>
      <Dialogs parts={PARTS} start={start} state={state} />
    </ShellContext>
  );
}

function show(loader = createLoader()): void {
  const start = (): Promise<{ dialogs: typeof loader }> => started.then(() => ({ dialogs: loader }));
  render(
    <MemoryRouter>
      <Site start={start} />
    </MemoryRouter>,
  );
}

const path = (): string | null => screen.getByRole("heading").textContent;

/** Clicks a button. What it loads has then rendered. */
const click = (name: string): Promise<void> => act(() => userEvent.click(screen.getByText(name)));
const dialog = (): Promise<HTMLElement> => screen.findByRole("dialog", { name: "Newsletter" });

beforeEach(() => {
  load.mockReset().mockResolvedValue(exposed());
  [status, started] = ["retained", Promise.resolve()];
  submitted.mockReset();
  reload.mockReset();
  report.mockReset();
  // After the shell's listeners, which cancel what opens a dialog. The DOM would navigate.
  addEventListener("submit", onSubmit);
  addEventListener("click", onClick);
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  removeEventListener("submit", onSubmit);
  removeEventListener("click", onClick);
  cleanup();
  history.replaceState(null, "", "/");
  vi.restoreAllMocks();
});

function onSubmit(event: Event): void {
  submitted(event.defaultPrevented);
  event.preventDefault();
}

function onClick(event: Event): void {
  if (event.target instanceof HTMLAnchorElement) onSubmit(event);
}

test("a form opens its dialog with its params and the configuration of its section, and is not submitted", async () => {
  show();
  await click("Subscribe");
  expect((await dialog()).textContent).toContain("From footer by Editor");
  expect(submitted).toHaveBeenCalledExactlyOnceWith(true);
  expect(load).toHaveBeenCalledExactlyOnceWith(DIALOG);
});

test("a link opens the dialog, unless it is opened in a new tab", async () => {
  show();
  const link = screen.getByText("News");
  fireEvent.click(link, { ctrlKey: true });
  link.setAttribute("target", "_blank");
  fireEvent.click(link);
  expect(submitted.mock.calls).toEqual([[false], [false]]);
  expect(screen.queryByRole("dialog")).toBeNull();
  link.setAttribute("target", "_self");
  await click("News");
  expect((await dialog()).textContent).toContain("From link");
  expect(path()).toBe("/");
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

test("a dialog opens while the next page loads", async () => {
  history.replaceState(null, "", "/next");
  show();
  await click("Subscribe");
  expect(await dialog()).toBeTruthy();
});

test("intent loads the dialog's code before it opens", async () => {
  show();
  await userEvent.hover(screen.getByText("Subscribe"));
  expect(load).toHaveBeenCalledOnce();
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("the dialogs of a document load before they open, each once", () => {
  const loader = createLoader();
  show(loader);
  preloadDialogs(loader);
  expect(load).toHaveBeenCalledExactlyOnceWith(DIALOG);
});

test("the shell's loading dialog shows while what loads dialogs is not there", async () => {
  let arrive = (): void => undefined;
  started = new Promise((resolve) => {
    arrive = resolve;
  });
  show();
  await click("Subscribe");
  screen.getByRole("dialog", { name: "Loading" });
  arrive();
  await dialog();
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

test("a dialog that throws is replaced by the shell's failed dialog, reported, and loaded again", async () => {
  const thrown = new Error("the dialog threw");
  load.mockResolvedValueOnce(
    exposed(() => {
      throw thrown;
    }),
  );
  show();
  await click("Subscribe");
  await screen.findByRole("dialog", { name: "Failed" });
  expect(report.mock.calls).toEqual([[expect.objectContaining({ section: exposed().section }), "render", thrown]]);
  await click("Try again");
  await dialog();
});

test.each([
  ["reloads the document for a newer release", "", 1],
  ["does not reload a document with typed text", "visitor@example.com", 0],
])("a second failure %s", async (_, value, reloads) => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response()));
  const reloadDocument = vi.spyOn(location, "reload").mockImplementation(() => undefined);
  load.mockRejectedValue(new Error("damaged"));
  show();
  render(<input defaultValue={value} />);
  await click("Subscribe");
  for (let attempts = 1; attempts <= 2; attempts += 1) {
    await screen.findByRole("dialog", { name: "Failed" });
    await waitFor(() => {
      expect(load).toHaveBeenCalledTimes(attempts);
    });
    await click("Try again");
  }
  await waitFor(() => {
    expect([reloadDocument.mock.calls.length, load.mock.calls.length]).toEqual([reloads, 3 - reloads]);
  });
  expect(report).not.toHaveBeenCalled();
});

test.each(["Subscribe", "News", "Offer"])("%s opens the page if no live section exposes the dialog", async (name) => {
  load.mockRejectedValue(new NotExposedError());
  show();
  await click(name);
  await waitFor(() => {
    expect(path()).toBe("/newsletter");
  });
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("the page opens if what loads dialogs does not load", async () => {
  started = Promise.reject(new Error("offline"));
  started.catch(() => undefined);
  show();
  await click("Subscribe");
  await waitFor(() => {
    expect(path()).toBe("/newsletter");
  });
});

test("a dialog that is gone with its deployment reloads the document, which opens it again", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response()));
  load.mockRejectedValueOnce(new Error("status 410"));
  status = "gone";
  reload.mockReturnValue(new Promise(() => undefined));
  show();
  await click("Subscribe");
  const opened = { dialog: DIALOG, params: { from: "footer" }, page: "/newsletter" };
  await waitFor(() => {
    expect(reload).toHaveBeenCalledWith({ dialog: opened });
  });
  cleanup();
  history.replaceState({ dialog: opened }, "");
  await act(() => {
    show();
    return Promise.resolve();
  });
  expect((await dialog()).textContent).toContain("From footer");
  expect(history.state).toEqual({});
});
