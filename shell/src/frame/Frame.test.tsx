import { integrations } from "@colonnade/design/testing";
import type { Layout } from "@colonnade/kit";
import { inShell } from "@colonnade/kit/testing";
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";

import { Frame } from "./Frame";

function show(layout: Layout = {}, currentPath?: string, host: string | null = "signup.example"): void {
  const site = {
    integrations: integrations({ host }),
    navigation: {
      menu: [
        { label: "Home", path: "/" },
        { label: "About", path: "/about" },
      ],
      footer: [{ label: "Terms", path: "/terms" }],
    },
  };
  render(
    inShell(
      <Frame layout={layout} currentPath={currentPath}>
        <h1>Content</h1>
      </Frame>,
      { site },
    ),
  );
}

const header = (): HTMLElement => screen.getByRole("banner");
const menu = (): HTMLDetailsElement | null => header().querySelector("details");

describe("Frame", () => {
  afterEach(cleanup);

  test("Frame renders landmarks, a skip link and the page", () => {
    show();
    expect(screen.getByText("Skip to content").getAttribute("href")).toBe("#main");
    expect(within(screen.getByRole("main")).getByText("Content")).toBeTruthy();
    expect(screen.getByRole("contentinfo")).toBeTruthy();
  });

  test.each([
    ["menu", true],
    ["plain", false],
    ["logo", false],
  ] as const)("the %s header has the logo; menu: %s", (variant, hasMenu) => {
    show({ header: variant });
    expect(within(header()).getByText("Test Site").closest("a")?.getAttribute("href")).toBe("/");
    expect(menu() !== null).toBe(hasMenu);
    expect(header().dataset.variant).toBe(variant);
  });

  test("the menu has the configured links and the join button", () => {
    show();
    const panel = within(screen.getByRole("navigation", { name: "Main", hidden: true }));
    expect(panel.getByText("About").getAttribute("href")).toBe("/about");
    expect(panel.getByText("Join Free").closest("form")?.getAttribute("action")).toBe("/signup");
  });

  test.each([
    ["/", ["page", null, null]],
    ["/about", [null, "page", null]],
    ["/about/an-article", [null, "true", null]],
    ["/aboutness", [null, null, null]],
    ["/terms", [null, null, "page"]],
    [undefined, [null, null, null]],
  ])("navigation marks the current page %s", (path, marks) => {
    show({}, path);
    const links = ["Home", "About", "Terms"].map((label) => screen.getByText(label));
    expect(links.map((link) => link.getAttribute("aria-current"))).toEqual(marks);
  });

  test.each(["Home", "Join Free"])("a click on %s closes the menu", (entry) => {
    show();
    const details = menu();
    if (!details) throw new Error("no menu");
    details.open = true;
    const clicked = within(details).getByText(entry);
    clicked.closest("form")?.addEventListener("submit", (event) => {
      event.preventDefault();
    });
    fireEvent.click(clicked);
    expect(details.open).toBe(false);
    expect(document.activeElement).toBe(details.querySelector("summary"));
  });

  test("Escape and a press outside close the menu, and Escape returns the focus to its toggle", () => {
    show();
    const details = menu();
    if (!details) throw new Error("no menu");
    details.open = true;
    within(details).getByText("About").focus();
    fireEvent.keyDown(document, { key: "Escape" });
    expect(details.open).toBe(false);
    expect(document.activeElement).toBe(details.querySelector("summary"));
    details.open = true;
    fireEvent.pointerDown(screen.getByText("Content"));
    expect(details.open).toBe(false);
  });

  test("no join button appears without a sign-up backend", () => {
    show({}, "/", null);
    expect(menu()).not.toBeNull();
    expect(screen.queryByText("Join Free")).toBeNull();
  });

  test("the footer has links, join button and the page's note", () => {
    show({ footerNote: "A note - 18+ only" });
    const footer = within(screen.getByRole("contentinfo"));
    expect(footer.getByText("Terms").getAttribute("href")).toBe("/terms");
    expect(footer.getByText("Join Free")).toBeTruthy();
    expect(footer.getByText("A note - 18+ only")).toBeTruthy();
  });
});
