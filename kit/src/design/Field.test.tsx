import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import { Field } from "./Field.js";

afterEach(cleanup);

function describedBy(input: HTMLElement): (string | null | undefined)[] {
  const ids = input.getAttribute("aria-describedby")?.split(" ") ?? [];
  return ids.map((id) => document.getElementById(id)?.textContent);
}

test("a field's label names its input, and nothing describes it unless there is something to say", () => {
  render(<Field label="E-mail" name="email" type="email" autoComplete="email" />);
  const input = screen.getByRole("textbox", { name: "E-mail" });
  expect(input.getAttribute("autocomplete")).toBe("email");
  expect(input.hasAttribute("aria-invalid")).toBe(false);
  expect(input.hasAttribute("aria-describedby")).toBe(false);
});

test("a field's hint and error describe its input, in that order", () => {
  render(<Field label="Age" hint="In whole years." error="Enter your age." />);
  const input = screen.getByRole("textbox", { name: "Age" });
  expect(describedBy(input)).toEqual(["In whole years.", "Enter your age."]);
  expect(input.getAttribute("aria-invalid")).toBe("true");
});

test("what else describes a field's input is kept", () => {
  render(
    <>
      <p id="more">More.</p>
      <Field label="Age" hint="In whole years." aria-describedby="more" />
    </>,
  );
  expect(describedBy(screen.getByRole("textbox"))).toEqual(["In whole years.", "More."]);
});

test("two fields do not share an id", () => {
  render(
    <>
      <Field label="One" hint="First." />
      <Field label="Two" hint="Second." />
    </>,
  );
  expect(describedBy(screen.getByRole("textbox", { name: "Two" }))).toEqual(["Second."]);
});
