import { renderPage } from "@colonnade/kit/testing";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import section from "../section";
import { CONNECTED, fillIn } from "../testing/signup";

// Apart from the other endings, since it ends for the whole tab, which here is this file.

it("a form post that was refused is an earlier attempt, too", async () => {
  const form = { error: "This e-mail address is already registered.", email: "typed@example.net" };
  await renderPage(section, "/signup", { site: CONNECTED, form });
  fillIn({ age: "17" });
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  expect(screen.getByText(/Thank you for telling us your age/).textContent).toContain(
    "What you sent before was meant for accounts.example.org",
  );
});
