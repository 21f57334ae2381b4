import { inShell } from "@colonnade/kit/testing";
import { act, cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi, type Mock } from "vitest";

import { hydrate, renderOnServer } from "../../testing/server";

const page = { location: { pathname: "/" } };
vi.mock("@colonnade/kit", async (original) => ({ ...(await original<object>()), useLocation: () => page.location }));

const INDEX = "California|Los Alamitos5|Los Angelesz\nMaine|Portland8\nOregon|Portlandf\nTexas|Austing\n";

let answer: { resolve: (response: Response) => void; reject: (error: unknown) => void };
let fetched: Mock;

beforeEach(() => {
  // The cities are loaded once per document.
  vi.resetModules();
  fetched = vi.fn(
    () =>
      new Promise<Response>((resolve, reject) => {
        answer = { resolve, reject };
      }),
  );
  vi.stubGlobal("fetch", fetched);
  Element.prototype.scrollIntoView = vi.fn();
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function show(): Promise<{ input: HTMLInputElement; followed: string[] }> {
  const { PlaceSearch } = await import("./PlaceSearch");
  // The search imports it on first use, which then takes no time.
  await import("./PlacePopup");
  const followed: string[] = [];
  render(inShell(<PlaceSearch />));
  // Like the shell, which handles clicks on links.
  document.body.onclick = (event) => {
    const link = event.target instanceof Element && event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    followed.push(link.getAttribute("href") ?? "");
  };
  return { input: screen.getByRole("combobox", { name: "Find a city or state" }), followed };
}

/** Waits until the search, whose code may still be arriving, asks for the cities. */
async function waitForFetch(): Promise<void> {
  await vi.waitFor(() => {
    expect(fetched).toHaveBeenCalled();
  });
}

async function loadCities(): Promise<void> {
  await waitForFetch();
  await act(async () => {
    answer.resolve(new Response(INDEX));
    await new Promise((resolve) => setTimeout(resolve, 0));
  });
}

async function fail(): Promise<void> {
  await waitForFetch();
  await act(async () => {
    answer.reject(new TypeError("offline"));
    await new Promise((resolve) => setTimeout(resolve, 0));
  });
}

const options = (): (string | null)[] => screen.queryAllByRole("option").map((option) => option.textContent);
const active = (): string | null | undefined =>
  screen.queryAllByRole("option").find((option) => option.getAttribute("aria-selected") === "true")?.textContent;

describe("the index of cities", () => {
  it("loads once, on focus", async () => {
    const { input } = await show();
    expect(fetched).not.toHaveBeenCalled();
    await userEvent.click(input);
    await loadCities();
    await userEvent.type(input, "aus");
    expect(fetched).toHaveBeenCalledTimes(1);
    expect(options()).toEqual(["Austin Texas"]);
  });

  it("loads when a pointer enters", async () => {
    const { input } = await show();
    await userEvent.hover(input);
    await waitForFetch();
  });

  it("is not needed for states", async () => {
    const { input, followed } = await show();
    await userEvent.type(input, "TX");
    expect(screen.getByText("Loading cities…")).not.toBeNull();
    expect(options()).toEqual(["Texas TX"]);
    await userEvent.keyboard("{Enter}");
    expect(followed).toEqual(["/state/Texas"]);
  });

  it("is awaited by Enter", async () => {
    const { input, followed } = await show();
    await userEvent.type(input, "los angeles{Enter}");
    expect(followed).toEqual([]);
    await loadCities();
    expect(followed).toEqual(["/city/California/Los%20Angeles"]);
  });

  it("can be loaded again after a failure", async () => {
    const { input } = await show();
    await userEvent.type(input, "or");
    await fail();
    expect(screen.getByRole("alert").textContent).toContain("City search isn’t available right now.");
    expect(options()).toEqual(["Oregon OR"]);
    await userEvent.unhover(input);
    await userEvent.hover(input);
    expect(fetched).toHaveBeenCalledTimes(1);
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(document.activeElement).toBe(input);
    await loadCities();
    expect(screen.queryByRole("alert")).toBeNull();
    await userEvent.type(input, "{Backspace}{Backspace}port");
    expect(options()).toEqual(["Portland Oregon", "Portland Maine"]);
  });
});

describe("the code of the search", () => {
  it("can be loaded again after a failure", async () => {
    const { PlaceSearch } = await import("./PlaceSearch");
    vi.doMock("./PlacePopup", () => {
      throw new Error("offline");
    });
    render(inShell(<PlaceSearch />));
    const input = screen.getByRole("combobox", { name: "Find a city or state" });
    await userEvent.type(input, "texas");
    expect((await screen.findByRole("alert")).textContent).toContain("Search isn’t available right now.");
    vi.doUnmock("./PlacePopup");
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(document.activeElement).toBe(input);
    expect((await screen.findByRole("option")).textContent).toBe("Texas TX");
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("the combobox", () => {
  async function showLoaded(): ReturnType<typeof show> {
    const shown = await show();
    await userEvent.click(shown.input);
    await loadCities();
    return shown;
  }

  it("is closed until something is typed", async () => {
    const { input } = await showLoaded();
    expect(input.getAttribute("aria-expanded")).toBe("false");
    expect(screen.queryByRole("listbox")).toBeNull();
    await userEvent.type(input, " ");
    expect(screen.queryByRole("listbox")).toBeNull();
  });

  it("suggests the cities of the tab before something is typed", async () => {
    sessionStorage.setItem("ads:/city/Texas/Austin", "[1]");
    sessionStorage.setItem("ads:/city/Illinois/Springfield", "[1]");
    const { input, followed } = await showLoaded();
    expect(screen.getByRole("group", { name: "Cities in this tab" })).not.toBeNull();
    expect(options()).toEqual(["Springfield Illinois", "Austin Texas"]);
    await userEvent.keyboard("{Enter}");
    expect(followed).toEqual([]);
    await userEvent.keyboard("{ArrowDown}{Enter}");
    expect(followed).toEqual(["/city/Illinois/Springfield"]);
    await userEvent.keyboard("{Escape}");
    expect(screen.queryByRole("listbox")).toBeNull();
    await userEvent.type(input, "aus");
    expect(screen.queryByRole("group", { name: "Cities in this tab" })).toBeNull();
    sessionStorage.clear();
  });

  it("suggests no city of the tab on its own page", async () => {
    sessionStorage.setItem("ads:/city/Texas/Austin", "[1]");
    sessionStorage.setItem("ads:/city/Illinois/Springfield", "[1]");
    page.location = { pathname: "/city/Texas/Austin" };
    await showLoaded();
    expect(options()).toEqual(["Springfield Illinois"]);
    page.location = { pathname: "/" };
    sessionStorage.clear();
  });

  it("has options in groups, which an arrow key makes active", async () => {
    const { input } = await showLoaded();
    await userEvent.type(input, "o");
    const groups = screen.getAllByRole("group");
    expect(groups.map((group) => within(group).getAllByRole("option").length)).toEqual([3]);
    expect(screen.getByRole("group", { name: "States" })).toBe(groups[0]);
    await userEvent.type(input, "{Backspace}los");
    expect(screen.getByRole("group", { name: "Cities" })).not.toBeNull();
    expect(active()).toBeUndefined();
    expect(input.hasAttribute("aria-activedescendant")).toBe(false);
    await userEvent.keyboard("{ArrowDown}");
    expect(active()).toBe("Los Angeles California");
    expect(input.getAttribute("aria-expanded")).toBe("true");
    expect(input.getAttribute("aria-controls")).toBe(screen.getByRole("listbox").id);
    expect(document.getElementById(input.getAttribute("aria-activedescendant") ?? "")?.textContent).toBe(active());
  });

  it("moves through the options with the arrow keys", async () => {
    const { input, followed } = await showLoaded();
    await userEvent.type(input, "port{ArrowDown}");
    expect(active()).toBe("Portland Oregon");
    await userEvent.keyboard("{ArrowDown}");
    expect(active()).toBe("Portland Maine");
    await userEvent.keyboard("{ArrowDown}{ArrowUp}{Enter}");
    expect(followed).toEqual(["/city/Maine/Portland"]);
    await userEvent.type(input, "land{ArrowUp}");
    expect(active()).toBe("Portland Maine");
  });

  it("follows a click on an option and keeps the focus", async () => {
    const { input, followed } = await showLoaded();
    await userEvent.type(input, "austin tex");
    await userEvent.click(screen.getByRole("option", { name: "Austin Texas" }));
    expect(followed).toEqual(["/city/Texas/Austin"]);
    expect(document.activeElement).toBe(input);
  });

  it("closes on Escape, then clears", async () => {
    const { input } = await showLoaded();
    await userEvent.type(input, "port{Escape}");
    expect(screen.queryByRole("listbox")).toBeNull();
    expect(input.value).toBe("port");
    await userEvent.keyboard("{ArrowDown}");
    expect(options()).toHaveLength(2);
    await userEvent.keyboard("{Escape}{Escape}");
    expect(input.value).toBe("");
  });

  it("closes when the focus leaves", async () => {
    const { input } = await showLoaded();
    await userEvent.type(input, "port");
    await userEvent.tab();
    expect(screen.queryByRole("listbox")).toBeNull();
  });

  it("says that nothing matches, with a link to the states", async () => {
    const { input, followed } = await showLoaded();
    await userEvent.type(input, "zzz{Enter}");
    expect(followed).toEqual([]);
    expect(screen.getByText(/^No state or city here matches “zzz”\./)).not.toBeNull();
    expect(screen.getByRole("link", { name: "See all 50 states" }).getAttribute("href")).toBe("/#states");
    await vi.waitFor(() => {
      expect(screen.getByRole("status").textContent).toBe("No results");
    });
  });

  it("counts one result in the singular", async () => {
    const { input } = await showLoaded();
    await userEvent.type(input, "aust");
    await vi.waitFor(
      () => {
        expect(screen.getByRole("status").textContent).toBe("1 result");
      },
      { timeout: 10_000 },
    );
  });

  it("asks whether a similar name is meant, which Enter opens", async () => {
    const { input, followed } = await showLoaded();
    await userEvent.type(input, "portlnad{Enter}");
    const meant = within(screen.getByRole("group", { name: "Did you mean" }));
    expect(meant.getAllByRole("option").map((option) => option.textContent)).toEqual([
      "Portland Oregon",
      "Portland Maine",
    ]);
    expect(followed).toEqual(["/city/Oregon/Portland"]);
  });

  it("links the state of a city without a page", async () => {
    const { input } = await showLoaded();
    await userEvent.type(input, "marfa tx");
    expect(screen.getByText(/fewer than 15,000 residents/)).not.toBeNull();
    expect(screen.getByRole("link", { name: "See the cities of Texas" }).getAttribute("href")).toBe("/state/Texas");
  });

  it("says that Washington, D.C., has no page", async () => {
    const { input } = await showLoaded();
    await userEvent.type(input, "washington dc");
    expect(screen.getByText(/^Washington, D\.C\., has no page here\./)).not.toBeNull();
    expect(screen.getByRole("link", { name: "See all 50 states" })).not.toBeNull();
  });
});

describe("before hydration", () => {
  it("the search is invisible, then visible without a mismatch", async () => {
    const { PlaceSearch } = await import("./PlaceSearch");
    expect(renderOnServer(<PlaceSearch />).querySelector("[role=search]")?.className).toMatch(/inert/);
    const { container, hydrationErrors } = hydrate(<PlaceSearch />);
    expect(hydrationErrors).toEqual([]);
    expect(container.querySelector("[role=search]")?.className).not.toMatch(/inert/);
  });
});
