// Form validation. The gateway validates again; both are tested against the same table.

/** Field names in a form post. */
export const FIELD_NAMES = ["email", "password", "age"] as const;

/** Field name in a form post. */
export type FieldName = (typeof FIELD_NAMES)[number];

/** The form's values as typed. */
export type FormValues = Readonly<Record<FieldName, string>>;

/** Error messages by field. */
export type FieldErrors = Readonly<Partial<Record<FieldName, string | undefined>>>;

/** The fields sent to the gateway. */
export interface SignupFields {
  readonly email: string;
  readonly password: string;
  /** The visitor's stated age. */
  readonly age: number;
}

/** Result of validating a form. */
type ValidationResult =
  | { readonly kind: "valid"; readonly fields: SignupFields }
  | { readonly kind: "invalid"; readonly errors: FieldErrors }
  | { readonly kind: "underage" };

/** Maximum length of an e-mail address: RFC 5321, section 4.5.3.1.3, minus the angle brackets. */
const EMAIL_MAX = 254;
/** Minimum number of code points of a password. */
export const PASSWORD_MIN = 6;
/** Maximum number of code points of a password. */
const PASSWORD_MAX = 256;
/** Minimum stated age. */
const AGE_MIN = 18;
/** Maximum plausible stated age. */
const AGE_MAX = 120;

// The HTML Standard's regular expression for e-mail addresses.
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const DIGITS = /^[0-9]+$/;
// The whole years of an age, with optional fraction and surrounding whitespace.
const YEARS = /^[ \t\n\f\r]*([0-9]+)(?:[.,][0-9]+)?[ \t\n\f\r]*$/;

function codePoints(text: string): number {
  return Array.from(text).length;
}

/** Whether a string is an acceptable e-mail address. */
export function isEmail(text: string): boolean {
  return text.length <= EMAIL_MAX && EMAIL.test(text);
}

/** Whether a string is an acceptable password. The length is in Unicode code points, including spaces. */
export function isPassword(text: string): boolean {
  const length = codePoints(text);
  return length >= PASSWORD_MIN && length <= PASSWORD_MAX;
}

/** Whether a value is an acceptable age: an integer from 18 to 120. */
export function isAge(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= AGE_MIN && (value as number) <= AGE_MAX;
}

/** Parses an age of ASCII digits. Returns null if it is not acceptable. */
export function readAge(text: string): number | null {
  const age = DIGITS.test(text) ? Number(text) : null;
  return isAge(age) ? age : null;
}

// Includes '17.5', which is not an integer but also under 18.
function isUnderage(text: string): boolean {
  const years = YEARS.exec(text)?.[1];
  return years !== undefined && Number(years) < AGE_MIN;
}

/** Returns a field's error message, or undefined if it is valid. */
export function fieldError(name: FieldName, text: string): string | undefined {
  switch (name) {
    case "email":
      if (text === "") return "Enter your email address.";
      if (isEmail(text)) return undefined;
      return text.length > EMAIL_MAX
        ? `Use an email address of at most ${String(EMAIL_MAX)} characters.`
        : "Enter an email address like name@example.com.";
    case "password":
      if (text === "") return `Enter a password of at least ${String(PASSWORD_MIN)} characters.`;
      if (isPassword(text)) return undefined;
      return codePoints(text) < PASSWORD_MIN
        ? `Use at least ${String(PASSWORD_MIN)} characters.`
        : `Use at most ${String(PASSWORD_MAX)} characters.`;
    case "age":
      return readAge(text) === null
        ? `Enter your age as a whole number from ${String(AGE_MIN)} to ${String(AGE_MAX)}.`
        : undefined;
  }
}

/** Validates a form. A stated age under 18 takes precedence over other errors. */
export function validateForm(values: FormValues): ValidationResult {
  if (isUnderage(values.age)) return { kind: "underage" };
  const errors: Partial<Record<FieldName, string>> = {};
  for (const name of FIELD_NAMES) {
    const error = fieldError(name, values[name]);
    if (error !== undefined) errors[name] = error;
  }
  const age = readAge(values.age);
  if (age === null || Object.keys(errors).length > 0) return { kind: "invalid", errors };
  return { kind: "valid", fields: { email: values.email, password: values.password, age } };
}
