import { inShell } from "@colonnade/kit/testing";
import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { renderToString } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";

import { ExitPage } from "./ExitPage.js";
import { TEST_FACTS } from "./testing.js";

const EXIT = inShell(<ExitPage />, { site: { facts: TEST_FACTS } });

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  document.body.hidden = false;
});

test("ExitPage hides the page and opens the other site in its place", async () => {
  const replace = vi.fn();
  vi.stubGlobal("location", { replace });
  render(EXIT);
  const link = screen.getByRole("link", { name: "Leave this site" });
  expect([link.getAttribute("href"), link.getAttribute("rel")]).toEqual([TEST_FACTS.exit, "nofollow noreferrer"]);
  await userEvent.click(link);
  expect(replace).toHaveBeenCalledWith(TEST_FACTS.exit);
  expect(document.body.hidden).toBe(true);
});

test("ExitPage has another text, and calls back before it leaves", async () => {
  const left: string[] = [];
  vi.stubGlobal("location", { replace: () => left.push("replaced") });
  const onLeave = (): void => {
    left.push("called");
  };
  render(inShell(<ExitPage label="Clear and leave" onLeave={onLeave} />, { site: { facts: TEST_FACTS } }));
  await userEvent.click(screen.getByRole("link", { name: "Clear and leave" }));
  expect(left).toEqual(["called", "replaced"]);
  expect(screen.getByText(/^“Clear and leave” opens/)).toBeTruthy();
});

test("ExitPage says what the history still shows", () => {
  render(EXIT);
  expect(screen.getByText(/opens weather\.example in place of this page\. Your browser’s history still/)).toBeTruthy();
});

test("ExitPage says without JavaScript that Back returns", () => {
  expect(renderToString(EXIT)).toContain("Without JavaScript, Back returns to this page.");
});
