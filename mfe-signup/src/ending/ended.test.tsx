import { renderPage, renderSlot } from "@colonnade/kit/testing";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import section from "../section";
import { answerJson, fillIn, WITH_PARTNER } from "../testing/signup";

// It ends for the whole tab, which here is this file: one story, told in order.

it("an age under 18 once submitted ends sign-up kindly, and sends nothing", async () => {
  const fetching = answerJson(200, {});
  await renderPage(section, "/signup", { site: WITH_PARTNER });
  fillIn({ age: "17" });
  expect(document.querySelector("form")).not.toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  expect(fetching).not.toHaveBeenCalled();
  expect(document.querySelector("form")).toBeNull();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Sign-up ends here");
  const said = screen.getByText(/Thank you for telling us your age/);
  expect(said.textContent).toContain("only for people aged 18 and over");
  expect(said.textContent).toContain("Nothing of this attempt was passed on or kept.");
  expect(document.body.textContent).not.toContain("sent before");
  expect(document.activeElement).toBe(said);
});

it("the page stays without a form, and without a way to the partner", async () => {
  await renderPage(section, "/signup", { site: WITH_PARTNER });
  expect(document.querySelector("form, input")).toBeNull();
  expect(document.body.textContent).not.toMatch(/Example Partner|verif/i);
});

it("the dialog shows the same ending and a way to close it", async () => {
  await renderSlot(section, "join", { open: true, reason: "sample", close: () => undefined }, { site: WITH_PARTNER });
  expect(document.querySelector("form, input")).toBeNull();
  expect(screen.getByRole("dialog", { name: "Sign-up ends here" }).textContent).toContain("aged 18 and over");
  expect(screen.getAllByRole("button").map((button) => button.getAttribute("aria-label"))).toEqual(["Close"]);
});

it("nothing of it is kept outside this tab's memory", () => {
  expect([localStorage.length, sessionStorage.length, document.cookie]).toEqual([0, 0, ""]);
});
