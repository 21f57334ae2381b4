import { renderPage } from "@colonnade/kit/testing";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import section from "../section";
import { mockJsonResponse, WITH_BACKEND, fillForm, input } from "../testing/signup";

// In a separate file: the block lasts for the tab, which here is the file.

it("the underage notice says where an earlier attempt was sent", async () => {
  const fetchMock = mockJsonResponse(409, { error: "This email address is already registered." });
  await renderPage(section, "/signup", { site: WITH_BACKEND });
  fillForm();
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  await screen.findByText(/already registered/);
  input("Age").value = "17";
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  expect(fetchMock).toHaveBeenCalledTimes(1);
  expect(screen.getByText(/Thank you for telling us your age/).textContent).toContain(
    "We didn’t save or send this age. Your earlier try may have reached accounts.example.org, so it may have your " +
      "details. We don’t.",
  );
});
