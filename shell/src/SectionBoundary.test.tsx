import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import type { ReactElement } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { SectionBoundary } from "./SectionBoundary";

describe("SectionBoundary", () => {
  let broken = true;

  function Fragile(): ReactElement {
    if (broken) throw new Error("the section threw");
    return <p>The section</p>;
  }

  function show(): void {
    render(
      <SectionBoundary section="fragile">
        <Fragile />
      </SectionBoundary>,
    );
  }

  async function failTwice(): Promise<void> {
    show();
    fireEvent.click(screen.getByText("Try again"));
    await waitFor(() => {
      expect(console.warn).toHaveBeenCalledTimes(2);
    });
    fireEvent.click(await screen.findByText("Try again"));
  }

  beforeEach(() => {
    broken = true;
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
  });

  afterEach(() => {
    cleanup();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  test("a section that throws is replaced by words and a button, and reported by name", () => {
    show();
    expect(screen.getByRole("alert").textContent).toContain("unavailable right now");
    expect(console.warn).toHaveBeenCalledWith(
      '[shell] the section "fragile" failed while rendering:',
      expect.any(Error),
    );
  });

  test("Try again shows the section once it works", async () => {
    show();
    broken = false;
    fireEvent.click(screen.getByText("Try again"));
    expect(await screen.findByText("The section")).toBeTruthy();
  });

  test("what fails twice stays where no new document can be had", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new Error("offline")));
    const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined);
    await failTwice();
    await waitFor(() => {
      expect(console.warn).toHaveBeenCalledTimes(3);
    });
    expect(reload).not.toHaveBeenCalled();
  });

  test("where one can be had, it takes over", async () => {
    vi.stubGlobal("fetch", () => Promise.resolve(new Response()));
    const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined);
    await failTwice();
    await waitFor(() => {
      expect(reload).toHaveBeenCalledOnce();
    });
  });
});
