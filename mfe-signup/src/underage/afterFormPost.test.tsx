import { renderPage } from "@colonnade/kit/testing";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import section from "../section";
import { WITH_BACKEND, fillForm } from "../testing/signup";

// In a separate file: the block lasts for the tab, which here is the file.

it("the underage notice mentions an earlier rejected form post", async () => {
  const form = { error: "This email address is already registered.", email: "typed@example.net" };
  await renderPage(section, "/signup", { site: WITH_BACKEND, form });
  fillForm({ age: "17" });
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  expect(screen.getByText(/Thank you for telling us your age/).textContent).toContain(
    "Your earlier try may have reached accounts.example.org",
  );
});
