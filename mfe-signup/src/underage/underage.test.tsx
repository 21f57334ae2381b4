import { renderPage, renderSlot } from "@colonnade/kit/testing";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import section from "../section";
import { mockJsonResponse, fillForm, WITH_PARTNER } from "../testing/signup";

// The block lasts for the tab, which here is this file, so these tests run in order.

it("submitting an age under 18 blocks sign-up and sends nothing", async () => {
  const fetchMock = mockJsonResponse(200, {});
  await renderPage(section, "/signup", { site: WITH_PARTNER });
  fillForm({ age: "17" });
  expect(document.querySelector("form")).not.toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  expect(fetchMock).not.toHaveBeenCalled();
  expect(document.querySelector("form")).toBeNull();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Sign-up ends here");
  const notice = screen.getByText(/Thank you for telling us your age/);
  expect(notice.textContent).toContain("only for people 18 and over");
  expect(notice.textContent).toContain("We didn’t save or send anything you entered.");
  expect(document.body.textContent).not.toContain("earlier try");
  expect(document.activeElement).toBe(notice);
});

it("the page has no form and no partner link", async () => {
  await renderPage(section, "/signup", { site: WITH_PARTNER });
  expect(document.querySelector("form, input")).toBeNull();
  expect(document.body.textContent).not.toMatch(/Example Partner|verif/i);
});

it("the dialog shows the same notice and a close button", async () => {
  await renderSlot(section, "join", { open: true, reason: "sample", close: () => undefined }, { site: WITH_PARTNER });
  expect(document.querySelector("form, input")).toBeNull();
  expect(screen.getByRole("dialog", { name: "Sign-up ends here" }).textContent).toContain("18 and over");
  const buttons = screen.getAllByRole("button");
  expect(buttons.map((button) => button.getAttribute("aria-label") ?? button.textContent)).toEqual(["Close", "Close"]);
});

it("the tab keeps a flag that says only 'closed', and no age", () => {
  expect(Object.entries(sessionStorage)).toEqual([["signup", "closed"]]);
  expect(history.state).toEqual({ signup: "closed" });
  expect([localStorage.length, document.cookie]).toEqual([0, ""]);
});
