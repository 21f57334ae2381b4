import { renderPage, renderSlot } from "@colonnade/kit/testing";
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";

import section from "../section";
import { WITH_PARTNER } from "../testing/signup";

// In a separate file: the block lasts for the tab, which here is the file.

it("posting an age under 18 blocks sign-up on page and dialog", async () => {
  const form = { error: "This site is for adults.", email: "", underAge: true };
  await renderPage(section, "/signup", { site: WITH_PARTNER, form });
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Sign-up ends here");
  expect(document.querySelector("form, input")).toBeNull();
  expect(document.body.textContent).not.toContain("Example Partner");
  // The form result covers only this attempt.
  expect(document.body.textContent).toContain("We didn’t save or send anything you entered.");
  await renderSlot(section, "join", { open: true, reason: "general", close: () => undefined }, { site: WITH_PARTNER });
  expect(screen.getByRole("dialog", { name: "Sign-up ends here" })).not.toBeNull();
});
