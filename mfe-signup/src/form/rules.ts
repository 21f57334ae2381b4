// What the form accepts. The gateway checks the same again; one table of cases tests both.

/** A field of the sign-up form, by its name in a form post. */
export type FieldName = "email" | "password" | "age";

/** The form's fields as text, the way they were typed. */
export type Typed = Readonly<Record<FieldName, string>>;

/** What is wrong with which field, in words. */
export type FieldErrors = Readonly<Partial<Record<FieldName, string | undefined>>>;

/** What is sent. */
export interface SignupFields {
  readonly email: string;
  readonly password: string;
  /** The age the visitor stated. */
  readonly age: number;
}

/** What came of checking a form. */
export type Checked =
  | { readonly kind: "valid"; readonly fields: SignupFields }
  | { readonly kind: "invalid"; readonly errors: FieldErrors }
  | { readonly kind: "underage" };

/** The most characters of an e-mail address: RFC 5321, section 4.5.3.1.3, less its angle brackets. */
export const EMAIL_MAX = 254;
/** The fewest code points of a password. */
export const PASSWORD_MIN = 6;
/** The most code points of a password. */
export const PASSWORD_MAX = 256;
/** The lowest stated age that may sign up. */
export const AGE_MIN = 18;
/** The highest stated age that is believed. */
export const AGE_MAX = 120;

// The HTML Standard's pattern of a valid e-mail address.
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const DIGITS = /^[0-9]+$/;
// The whole years of an age with or without a fraction, whatever blanks stand around it.
const YEARS = /^[ \t\n\f\r]*([0-9]+)(?:[.,][0-9]+)?[ \t\n\f\r]*$/;

function codePoints(text: string): number {
  return Array.from(text).length;
}

/** Whether a text is an e-mail address that sign-up accepts. */
export function isEmail(text: string): boolean {
  return text.length <= EMAIL_MAX && EMAIL.test(text);
}

/** Whether a text is a password that sign-up accepts. Length is counted in Unicode code points, spaces and all. */
export function isPassword(text: string): boolean {
  const length = codePoints(text);
  return length >= PASSWORD_MIN && length <= PASSWORD_MAX;
}

/** Whether a value is an age that sign-up accepts: a whole number from 18 to 120. */
export function isAge(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= AGE_MIN && (value as number) <= AGE_MAX;
}

/** The age a text of ASCII digits states, or null where sign-up does not accept it. */
export function readAge(text: string): number | null {
  const age = DIGITS.test(text) ? Number(text) : null;
  return isAge(age) ? age : null;
}

// Also '17.5', which is no whole number but says the same.
function statesUnderage(text: string): boolean {
  const years = YEARS.exec(text)?.[1];
  return years !== undefined && Number(years) < AGE_MIN;
}

/** What is wrong with one field, in words, or undefined where nothing is. */
export function fieldError(name: FieldName, text: string): string | undefined {
  switch (name) {
    case "email":
      if (text === "") return "Enter your e-mail address.";
      return isEmail(text) ? undefined : "Enter an e-mail address in the form name@example.com.";
    case "password":
      if (text === "") return "Enter a password.";
      if (isPassword(text)) return undefined;
      return codePoints(text) < PASSWORD_MIN
        ? `Use at least ${String(PASSWORD_MIN)} characters.`
        : `Use at most ${String(PASSWORD_MAX)} characters.`;
    case "age":
      if (text === "") return "Enter your age.";
      return readAge(text) === null
        ? `Enter your age as a whole number from ${String(AGE_MIN)} to ${String(AGE_MAX)}.`
        : undefined;
  }
}

/** Checks a whole form. A stated age under 18 goes before whatever else is wrong with it. */
export function checkForm(typed: Typed): Checked {
  if (statesUnderage(typed.age)) return { kind: "underage" };
  const errors: Partial<Record<FieldName, string>> = {};
  for (const name of ["email", "password", "age"] as const) {
    const error = fieldError(name, typed[name]);
    if (error !== undefined) errors[name] = error;
  }
  const age = readAge(typed.age);
  if (age === null || Object.keys(errors).length > 0) return { kind: "invalid", errors };
  return { kind: "valid", fields: { email: typed.email, password: typed.password, age } };
}
