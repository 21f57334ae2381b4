import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, expect, it, test } from "vitest";

import { checkForm, fieldError, isAge, isEmail, isPassword, readAge } from "./rules";

interface Case<Value> {
  readonly value: Value;
  readonly valid: boolean;
}

interface Table {
  readonly email: readonly Case<string>[];
  readonly password: readonly (
    Case<string> | { readonly repeat: readonly [string, number]; readonly valid: boolean }
  )[];
  readonly ageJson: readonly Case<unknown>[];
  readonly ageText: readonly Case<string>[];
}

// The cases that the gateway is tested against, too.
const table = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "../../../tests/tables/signup-fields.json"), "utf8"),
) as Table;

describe("the table of cases shared with the gateway", () => {
  test.each(table.email)("e-mail $value is valid: $valid", ({ value, valid }) => {
    expect(isEmail(value)).toBe(valid);
    expect(fieldError("email", value) === undefined).toBe(valid);
  });

  test.each(
    table.password.map((row) => ({ ...row, text: "value" in row ? row.value : row.repeat[0].repeat(row.repeat[1]) })),
  )("password $text is valid: $valid", ({ text, valid }) => {
    expect(isPassword(text)).toBe(valid);
    expect(fieldError("password", text) === undefined).toBe(valid);
  });

  test.each(table.ageJson)("age $value in JSON is valid: $valid", ({ value, valid }) => {
    expect(isAge(value)).toBe(valid);
  });

  test.each(table.ageText)("age $value as text is valid: $valid", ({ value, valid }) => {
    expect(readAge(value) !== null).toBe(valid);
    expect(fieldError("age", value) === undefined).toBe(valid);
  });
});

describe("checkForm", () => {
  const typed = { email: "a@example.com", password: "secret", age: "18" };

  it("keeps a password as typed and makes the age a number", () => {
    expect(checkForm({ ...typed, password: "  spaced  " })).toEqual({
      kind: "valid",
      fields: { email: "a@example.com", password: "  spaced  ", age: 18 },
    });
  });

  it("names every field that is wrong, in the form's order", () => {
    const checked = checkForm({ email: "", password: "", age: "" });
    expect(checked).toEqual({
      kind: "invalid",
      errors: { email: "Enter your e-mail address.", password: "Enter a password.", age: "Enter your age." },
    });
    expect(checked.kind === "invalid" && Object.keys(checked.errors)).toEqual(["email", "password", "age"]);
  });

  it.each(["0", "5", "17", "017", " 17 ", "17.5", "17,9"])("takes a stated age of '%s' for one under 18", (age) => {
    expect(checkForm({ ...typed, age })).toEqual({ kind: "underage" });
  });

  it("puts a stated age under 18 before other mistakes", () => {
    expect(checkForm({ email: "", password: "", age: "17" })).toEqual({ kind: "underage" });
  });

  it.each(["121", "18.5", "-5", "abc", "1e2", "٢٥", "0x20"])("calls an age of '%s' a mistake", (age) => {
    expect(checkForm({ ...typed, age })).toEqual({
      kind: "invalid",
      errors: { age: "Enter your age as a whole number from 18 to 120." },
    });
  });

  it("says whether a password is too short or too long", () => {
    expect(fieldError("password", "12345")).toBe("Use at least 6 characters.");
    expect(fieldError("password", "x".repeat(257))).toBe("Use at most 256 characters.");
  });
});
