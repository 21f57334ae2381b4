import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, expect, it, test } from "vitest";

import { validateForm, fieldError, isAge, isEmail, isPassword, readAge } from "./validation";

interface Case<Value> {
  readonly value: Value;
  readonly valid: boolean;
}

interface AgeCase<Value> extends Case<Value> {
  readonly underAge: boolean;
}

interface Table {
  readonly email: readonly Case<string>[];
  readonly password: readonly (
    Case<string> | { readonly repeat: readonly [string, number]; readonly valid: boolean }
  )[];
  readonly ageJson: readonly AgeCase<unknown>[];
  readonly ageText: readonly AgeCase<string>[];
}

// The gateway is tested against the same table.
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

  const kindOf = ({ valid, underAge }: AgeCase<unknown>): string =>
    underAge ? "underage" : valid ? "valid" : "invalid";
  const numbers = table.ageJson.filter((row): row is AgeCase<number> => typeof row.value === "number");

  test.each([...table.ageText, ...numbers])("age $value is under 18: $underAge", (row) => {
    const result = validateForm({ email: "a@example.com", password: "secret", age: String(row.value) });
    expect(result.kind).toBe(kindOf(row));
  });
});

describe("validateForm", () => {
  const values = { email: "a@example.com", password: "secret", age: "18" };

  it("keeps the password unchanged and parses the age", () => {
    expect(validateForm({ ...values, password: "  spaced  " })).toEqual({
      kind: "valid",
      fields: { email: "a@example.com", password: "  spaced  ", age: 18 },
    });
  });

  it("returns an error per invalid field, in form order", () => {
    const result = validateForm({ email: "", password: "", age: "" });
    expect(result).toEqual({
      kind: "invalid",
      errors: {
        email: "Enter your email address.",
        password: "Enter a password of at least 6 characters.",
        age: "Enter your age as a whole number from 18 to 120.",
      },
    });
    expect(result.kind === "invalid" && Object.keys(result.errors)).toEqual(["email", "password", "age"]);
  });

  it("returns underage regardless of other errors", () => {
    expect(validateForm({ email: "", password: "", age: "17" })).toEqual({ kind: "underage" });
  });

  it.each([
    ["email", "visitor@", "Enter an email address like name@example.com."],
    ["email", `${"x".repeat(243)}@example.com`, "Use an email address of at most 254 characters."],
    ["password", "12345", "Use at least 6 characters."],
    ["password", "x".repeat(257), "Use at most 256 characters."],
    ["age", "121", "Enter your age as a whole number from 18 to 120."],
  ] as const)("says what the %s '%s' needs: %s", (name, text, error) => {
    expect(validateForm({ ...values, [name]: text })).toEqual({ kind: "invalid", errors: { [name]: error } });
  });
});
