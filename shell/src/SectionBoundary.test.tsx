import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import type { ReactElement } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { Standing } from "./loading/lookup";
import { SectionBoundary } from "./SectionBoundary";

const SECTION = { name: "fragile", version: "1.0.0", container: "", entry: "", integrity: "", assets: [] };

describe("SectionBoundary", () => {
  let broken = true;
  let thrown: Error;
  let standing: Standing;
  let renewing: Promise<never> | undefined;
  const report = vi.fn();
  const renew = vi.fn(() => renewing);
  const tab = { standing: () => Promise.resolve(standing), renew, report };

  function missingFile(): Error {
    return Object.assign(new Error("Loading chunk 7 failed."), { name: "ChunkLoadError" });
  }

  function Fragile(): ReactElement {
    if (broken) throw thrown;
    return <p>The section</p>;
  }

  function show(): void {
    render(
      <SectionBoundary section={SECTION} tab={tab}>
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
    thrown = new TypeError("the section threw");
    standing = "kept";
    renewing = undefined;
    vi.clearAllMocks();
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
    expect(report.mock.calls).toEqual([[SECTION, "render", thrown]]);
    expect(renew).not.toHaveBeenCalled();
  });

  test("a file that is missing is a failure to load, once it is known to be the section's own", async () => {
    thrown = missingFile();
    show();
    expect(screen.queryByRole("alert")).toBeNull();
    expect(await screen.findByRole("alert")).toBeTruthy();
    expect(report.mock.calls).toEqual([[SECTION, "load", thrown]]);
    expect(renew).not.toHaveBeenCalled();
  });

  test("a file that went with the deployment is no failure: a new document takes over, unseen", async () => {
    thrown = missingFile();
    standing = "gone";
    renewing = new Promise(() => undefined);
    show();
    await waitFor(() => {
      expect(renew).toHaveBeenCalledOnce();
    });
    expect(screen.queryByRole("alert")).toBeNull();
    expect(report).not.toHaveBeenCalled();
  });

  test.each(["gone", "unknown"] as const)(
    "a file that is missing is no failure to report where the deployment is %s",
    async (is) => {
      thrown = missingFile();
      standing = is;
      show();
      expect(await screen.findByRole("alert")).toBeTruthy();
      expect(report).not.toHaveBeenCalled();
    },
  );

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
