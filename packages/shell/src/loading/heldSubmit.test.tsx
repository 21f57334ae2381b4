import { act } from "@testing-library/react";
import { Suspense, use, useState, type ReactElement } from "react";
import { hydrateRoot, type Root } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { recordEnteredValues } from "./enteredValues.js";
import { holdSubmits, stopHolding } from "./heldSubmit.js";

// This DOM hides React's properties of a form.
vi.mock(import("./isHydrated.js"), async (original) => {
  const { isHydrated } = await original();
  return { isHydrated: (element) => isHydrated(element.querySelector("button") ?? element) };
});

const onSent = vi.fn<(text: string, submitter: string | undefined) => void>();
let roots: Root[] = [];
let code: Promise<unknown> | undefined;

interface PageProps {
  readonly attributes?: object;
}

function Form({ attributes }: PageProps): ReactElement {
  const [text, setText] = useState("");
  if (code) use(code);
  return (
    <form
      {...attributes}
      onSubmit={(event) => {
        event.preventDefault();
        onSent(text, event.nativeEvent.submitter?.id);
      }}
    >
      <input
        name="text"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
        }}
      />
      <button id="save" />
      <button id="elsewhere" formAction="/elsewhere" />
    </form>
  );
}

const pageWith = (props: PageProps): ReactElement => (
  <Suspense>
    <Form {...props} />
  </Suspense>
);

/** A server-rendered page whose code has not loaded, and what hydrates it. */
function open(attributes: object = {}): { readonly page: Element; readonly hydrate: () => Promise<void> } {
  const page = document.createElement("div");
  page.innerHTML = renderToString(pageWith({ attributes }));
  document.body.append(page);
  holdSubmits();
  const enterAgain = recordEnteredValues(page);
  const hydrate = async (): Promise<void> => {
    await act(async () => {
      roots.push(hydrateRoot(page, pageWith({ attributes }), { onRecoverableError: () => undefined }));
      await Promise.resolve();
    });
    act(enterAgain);
    wait(0);
  };
  return { page, hydrate };
}

function submit(page: Element, text: string, submitter = "save"): SubmitEvent {
  const [form, input] = ["form", "input"].map((selectors) => page.querySelector(selectors));
  (input as HTMLInputElement).value = text;
  input?.dispatchEvent(new Event("input", { bubbles: true }));
  const event = new SubmitEvent("submit", {
    bubbles: true,
    cancelable: true,
    submitter: page.querySelector<HTMLElement>(`#${submitter}`),
  });
  form?.dispatchEvent(event);
  return event;
}

function wait(milliseconds: number): void {
  act(() => {
    vi.advanceTimersByTime(milliseconds);
  });
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  act(() => {
    for (const root of roots) root.unmount();
  });
  roots = [];
  code = undefined;
  stopHolding();
  vi.useRealTimers();
  document.body.replaceChildren();
  onSent.mockReset();
});

test.each([{}, { method: "post" }, { action: "#" }])(
  "the last submit of a form with %j is repeated once it is hydrated, with what was entered",
  async (attributes) => {
    const { page, hydrate } = open(attributes);
    expect(submit(page, "one").defaultPrevented).toBe(true);
    expect(submit(page, "two").defaultPrevented).toBe(true);
    await hydrate();
    expect(onSent.mock.calls).toEqual([["two", "save"]]);
  },
);

test.each([
  [{ action: "/search" }, "save"],
  [{ method: "dialog" }, "save"],
  [{}, "elsewhere"],
])("the browser sends a form with %j by the button %s before hydration", async (attributes, submitter) => {
  const { page, hydrate } = open(attributes);
  expect(submit(page, "one", submitter).defaultPrevented).toBe(false);
  await hydrate();
  expect(onSent).not.toHaveBeenCalled();
});

test("a form of a lazy part is submitted when that hydrates", async () => {
  const { page, hydrate } = open();
  let load: (() => void) | undefined;
  code = new Promise<void>((resolve) => {
    load = resolve;
  });
  await hydrate();
  expect(submit(page, "one").defaultPrevented).toBe(true);
  wait(500);
  expect(onSent).not.toHaveBeenCalled();
  await act(async () => {
    load?.();
    await code;
  });
  wait(501);
  expect(onSent.mock.calls).toEqual([["one", "save"]]);
});

test("a form of an extension is submitted when its own root hydrates, and not before", async () => {
  const site = document.createElement("div");
  site.innerHTML = `<main></main><aside>${renderToString(pageWith({}))}</aside>`;
  document.body.append(site);
  const [page, extension] = [...site.children] as [Element, Element];
  holdSubmits();
  const enterAgain = recordEnteredValues(site);
  const sent = vi.fn();
  addEventListener("submit", sent);
  expect(submit(extension, "one").defaultPrevented).toBe(true);
  act(() => {
    roots.push(hydrateRoot(page, null));
  });
  act(enterAgain);
  // Its code is late, or has failed to load.
  wait(10_000);
  expect(sent).toHaveBeenCalledOnce();
  await act(async () => {
    roots.push(hydrateRoot(extension, pageWith({})));
    await Promise.resolve();
  });
  wait(501);
  expect(onSent.mock.calls).toEqual([["one", "save"]]);
  removeEventListener("submit", sent);
});

test("a form that is gone is not submitted", async () => {
  const { page, hydrate } = open();
  submit(page, "one");
  page.replaceChildren();
  await hydrate();
  expect(onSent).not.toHaveBeenCalled();
});

test("the browser sends a form that is no part of React’s page once that is hydrated", async () => {
  const { page, hydrate } = open();
  page.insertAdjacentHTML("afterend", "<form><input name='q'></form>");
  holdSubmits();
  const form = page.nextElementSibling as HTMLFormElement;
  const sent = vi.fn<(isPrevented: boolean) => void>();
  addEventListener("submit", (event) => {
    sent(event.defaultPrevented);
    // This DOM would send it.
    event.preventDefault();
  });
  form.requestSubmit();
  await hydrate();
  expect(sent.mock.calls).toEqual([[true], [false]]);
});
