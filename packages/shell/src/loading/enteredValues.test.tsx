import { act } from "@testing-library/react";
import { Suspense, useLayoutEffect, useState, type ChangeEvent, type ReactElement } from "react";
import { hydrateRoot, type Root } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";

import { recordEnteredValues } from "./enteredValues.js";

// This DOM hides React's properties of a <select>.
const isHydrated = vi.hoisted(() => vi.fn<(element: Element) => boolean>(() => true));
vi.mock("./isHydrated.js", () => ({ isHydrated }));

// Nor does it know that a field set disables its fields.
vi.spyOn(HTMLInputElement.prototype, "matches").mockImplementation(function (this: Element, selectors) {
  return this.closest(selectors === ":disabled" ? "fieldset[disabled]" : selectors) !== null;
});

let isServer = true;
const onUncontrolled = vi.fn<(value: string) => void>();

type State = Readonly<Record<"text" | "long" | "size" | "city", string>> & { readonly agreed: boolean };
type Setter = (
  name: keyof State,
) => (event: ChangeEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>) => void;

function Size({
  size,
  value,
  set,
}: {
  readonly size: string;
  readonly value: string;
  readonly set: Setter;
}): ReactElement {
  return <input type="radio" name="size" value={value} checked={size === value} onChange={set("size")} />;
}

/** Fields of each kind. The paragraph says what React knows. */
function Fields({ same, onHydrated }: { readonly same: boolean; readonly onHydrated?: () => void }): ReactElement {
  const [state, setState] = useState<State>({ text: "", long: "A text", size: "s", city: "Austin", agreed: false });
  useLayoutEffect(() => {
    onHydrated?.();
  }, [onHydrated]);
  const set: Setter =
    (name) =>
    ({ target }) => {
      const value = name === "agreed" ? (target as HTMLInputElement).checked : target.value;
      setState((before) => ({ ...before, [name]: value }));
    };
  return (
    <form>
      <p>{isServer && !same ? "Another text" : JSON.stringify(Object.values(state))}</p>
      <input value={state.text} onChange={set("text")} />
      <textarea value={state.long} onChange={set("long")} />
      <input type="checkbox" checked={state.agreed} onChange={set("agreed")} />
      <Size size={state.size} value="s" set={set} />
      <Size size={state.size} value="m" set={set} />
      <fieldset disabled>
        <input type="checkbox" name="locked" />
      </fieldset>
      <select value={state.city} onChange={set("city")}>
        <option>Austin</option>
        <option>Chicago</option>
      </select>
      <input
        name="free"
        defaultValue="as it was"
        onInput={({ currentTarget }) => {
          onUncontrolled(currentTarget.value);
        }}
      />
    </form>
  );
}

let root: Root | undefined;

function pageWith(fields: ReactElement): ReactElement {
  return <Suspense>{fields}</Suspense>;
}

/** Renders on the server, enters values, hydrates, and enters another one. Returns the page then. */
async function hydrate(
  enter: (page: Element) => void,
  enterLate: (page: Element) => void,
  same: boolean,
): Promise<Element> {
  const page = document.createElement("div");
  document.body.append(page);
  isServer = true;
  page.innerHTML = renderToString(pageWith(<Fields same={same} />));
  isServer = false;
  enter(page);
  const enterAgain = recordEnteredValues(page);
  enterLate(page);
  const onHydrated = (): void => {
    queueMicrotask(enterAgain);
  };
  await act(() => {
    root = hydrateRoot(page, pageWith(<Fields same={same} onHydrated={onHydrated} />), { onRecoverableError: nothing });
    return Promise.resolve();
  });
  return page;
}

function field(page: Element, selector: string): HTMLInputElement {
  const found = page.querySelector<HTMLInputElement>(selector);
  if (!found) throw new Error(`no ${selector}`);
  return found;
}

/** Types a text into the first field. */
function type(page: Element, text: string): void {
  field(page, "input").value = text;
  field(page, "input").dispatchEvent(new Event("input", { bubbles: true }));
}

function known(page: Element): unknown {
  return JSON.parse(page.querySelector("p")?.textContent ?? "");
}

const nothing = (): void => undefined;

afterEach(() => {
  act(() => {
    root?.unmount();
  });
  document.body.replaceChildren();
  onUncontrolled.mockReset();
});

test.each([
  ["hydrated", true],
  ["rendered anew, because hydration failed", false],
])("values entered before hydration survive in a page that is %s, and its code learns of them", async (_, same) => {
  const before: Element[] = [];
  const page = await hydrate(
    (html) => {
      before.push(field(html, "input"));
      field(html, "textarea").value = "Another text";
      field(html, "[type=checkbox]").checked = true;
      field(html, "[value=m]").checked = true;
      field(html, "select").value = "Chicago";
      field(html, "[name=free]").value = "typed";
      field(html, "[name=locked]").checked = true;
    },
    (html) => {
      type(html, "typed late");
    },
    same,
  );
  expect(before[0] === field(page, "input")).toBe(same);
  expect(known(page)).toEqual(["typed late", "Another text", "m", "Chicago", true]);
  const shown = ["input", "textarea", "select", "[name=free]"].map((name) => field(page, name).value);
  expect(shown).toEqual(["typed late", "Another text", "Chicago", "typed"]);
  expect(["[type=checkbox]", "[value=s]", "[value=m]"].map((name) => field(page, name).checked)).toEqual([
    true,
    false,
    true,
  ]);
  // Its field set is disabled, so it cannot be clicked again.
  expect(field(page, "[name=locked]").checked).toBe(same);
  expect(onUncontrolled).toHaveBeenCalledExactlyOnceWith("typed");
});

test("no event occurs in fields that were left as they were", async () => {
  const events = vi.fn();
  document.addEventListener("input", events);
  const page = await hydrate(nothing, nothing, true);
  document.removeEventListener("input", events);
  expect(events).not.toHaveBeenCalled();
  expect(known(page)).toEqual(["", "A text", "s", "Austin", false]);
});

test("a field of a lazy component gets its value when it hydrates", async () => {
  vi.useFakeTimers();
  isHydrated.mockReturnValue(false);
  const page = await hydrate(
    nothing,
    (html) => {
      type(html, "typed");
    },
    true,
  );
  isHydrated.mockReturnValue(true);
  act(() => {
    vi.advanceTimersByTime(500);
  });
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  expect(known(page)).toEqual(["typed", "A text", "s", "Austin", false]);
});

test.each([
  ["is gone", true],
  ["is no part of React’s page", false],
])("a field that %s gets no value later, and is not waited for", async (_, isGone) => {
  vi.useFakeTimers();
  isHydrated.mockImplementation((element) => element.id !== "gone");
  const page = await hydrate(
    (html) => {
      html.insertAdjacentHTML("beforeend", '<input id="gone" name="gone">');
    },
    (html) => {
      const gone = field(html, "#gone");
      gone.value = "typed";
      gone.dispatchEvent(new Event("input", { bubbles: true }));
      if (isGone) gone.remove();
    },
    true,
  );
  expect(vi.getTimerCount()).toBe(0);
  if (isGone) page.insertAdjacentHTML("beforeend", '<input name="gone">');
  vi.advanceTimersByTime(500);
  vi.useRealTimers();
  isHydrated.mockReturnValue(true);
  expect(field(page, "[name=gone]").value).toBe(isGone ? "" : "typed");
});
