import { renderPage } from "@colonnade/kit/testing";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import section from "../section";
import { answerJson, CONNECTED, fillIn, input } from "../testing/signup";

// Apart from the other endings, since it ends for the whole tab, which here is this file.

it("an ending says of an earlier attempt where it was sent", async () => {
  const fetching = answerJson(409, { error: "This e-mail address is already registered." });
  await renderPage(section, "/signup", { site: CONNECTED });
  fillIn();
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  await screen.findByRole("alert");
  input("Age").value = "17";
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  expect(fetching).toHaveBeenCalledTimes(1);
  expect(screen.getByText(/Thank you for telling us your age/).textContent).toContain(
    "Nothing of this attempt was passed on or kept. What you sent before was meant for accounts.example.org and may " +
      "have arrived there; this site kept none of it.",
  );
});
