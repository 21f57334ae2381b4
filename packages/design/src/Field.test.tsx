import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import { Field } from "./Field.js";

afterEach(cleanup);

function describedBy(input: HTMLElement): (string | null | undefined)[] {
  const ids = input.getAttribute("aria-describedby")?.split(" ") ?? [];
  return ids.map((id) => document.getElementById(id)?.textContent);
}

test("the label names the input, without a description by default", () => {
  render(<Field label="E-mail" name="email" type="email" autoComplete="email" />);
  const input = screen.getByRole("textbox", { name: "E-mail" });
  expect(input.getAttribute("autocomplete")).toBe("email");
  expect(input.hasAttribute("aria-invalid")).toBe(false);
  expect(input.hasAttribute("aria-describedby")).toBe(false);
});

test("the hint and the error describe the input, in that order", () => {
  render(<Field label="Age" hint="In whole years." error="Enter your age." />);
  const input = screen.getByRole("textbox", { name: "Age" });
  expect(describedBy(input)).toEqual(["In whole years.", "Enter your age."]);
  expect(input.getAttribute("aria-invalid")).toBe("true");
});

test("a given aria-describedby is kept", () => {
  render(
    <>
      <p id="more">More.</p>
      <Field label="Age" hint="In whole years." aria-describedby="more" />
    </>,
  );
  expect(describedBy(screen.getByRole("textbox"))).toEqual(["In whole years.", "More."]);
});

test("two fields have different ids", () => {
  render(
    <>
      <Field label="One" hint="First." />
      <Field label="Two" hint="Second." />
    </>,
  );
  expect(describedBy(screen.getByRole("textbox", { name: "Two" }))).toEqual(["Second."]);
});
