import type { NavigationLink } from "@colonnade/kit";
import { inShell } from "@colonnade/kit/testing";
import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";

import { plain, plainParts } from "./plain.js";

const MENU = [
  { label: "Home", path: "/" },
  { label: "Books", path: "/books" },
];

function showFrame(currentPath?: string, footer: readonly NavigationLink[] = []): void {
  const { Frame } = plain;
  const frame = (
    <Frame layout={{}} currentPath={currentPath}>
      <h1>Content</h1>
    </Frame>
  );
  render(inShell(frame, { site: { navigation: { menu: MENU, footer } } }));
}

describe("plain", () => {
  afterEach(cleanup);

  test("the frame has landmarks, a skip link, the brand and the configured links", () => {
    showFrame("/", [{ label: "Imprint", path: "/imprint" }]);
    expect(screen.getByText("Skip to content").getAttribute("href")).toBe("#main");
    const main = screen.getByRole("main");
    expect([main.id, main.tabIndex, main.textContent]).toEqual(["main", -1, "Content"]);
    const header = within(screen.getByRole("banner"));
    expect(header.getByText("Test Site").getAttribute("href")).toBe("/");
    const menu = within(header.getByRole("navigation", { name: "Main" }));
    expect(menu.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["/", "/books"]);
    const footer = within(screen.getByRole("navigation", { name: "Footer" }));
    expect(footer.getByText("Imprint").getAttribute("href")).toBe("/imprint");
  });

  test("there is no navigation without links", () => {
    showFrame();
    expect(screen.queryByRole("navigation", { name: "Footer" })).toBeNull();
  });

  test.each([
    ["/", ["page", null]],
    ["/books", [null, "page"]],
    ["/books/7", [null, "true"]],
    ["/bookshop", [null, null]],
    [undefined, [null, null]],
  ])("the links on %s say which page is current", (path, marks) => {
    showFrame(path);
    const links = ["Home", "Books"].map((label) => screen.getByText(label));
    expect(links.map((link) => link.getAttribute("aria-current"))).toEqual(marks);
  });

  test("the not-found page has the heading and a link home", () => {
    const { NotFound } = plain;
    render(inShell(<NotFound heading="No such book" />));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("No such book");
    expect(screen.getByRole("link", { name: "Go to the home page" }).getAttribute("href")).toBe("/");
  });

  test.each(["Failed", "Offline"] as const)("%s says so, retries, and keeps its button enabled", async (name) => {
    const Part = plain[name];
    let finish = (): void => undefined;
    const retry = vi.fn(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    render(<Part retry={retry} />);
    expect(within(screen.getByRole("alert")).getByRole("heading", { level: 1 })).toBeTruthy();
    const button = screen.getByRole<HTMLButtonElement>("button", { name: "Try again" });
    fireEvent.click(button);
    expect(retry).toHaveBeenCalledTimes(1);
    expect([button.textContent, button.getAttribute("aria-busy"), button.disabled]).toEqual(["Trying…", "true", false]);
    await act(async () => {
      finish();
      await Promise.resolve();
    });
    expect(button.textContent).toBe("Try again");
  });

  test("other words replace the English ones", () => {
    const { Loading, NotFound } = plainParts({ loading: "Wird geladen …" });
    render(inShell(<Loading />));
    expect(screen.getByText("Wird geladen …").getAttribute("aria-busy")).toBe("true");
    render(inShell(<NotFound heading="Nichts" />));
    expect(screen.getByText("Go to the home page")).toBeTruthy();
  });
});
