import type { FieldErrors } from "./validation";

/** What the form shows after a rejection. */
interface Rejection {
  readonly errors: FieldErrors;
  /** Error above the form, if it belongs to no field. */
  readonly error?: string;
  readonly focus: "email" | "error";
}

const EMAIL = /\be-?mail\b/i;
const TAKEN = /\b(already|exists?|registered|taken|in use)\b/i;
/** The text itself says what to do. */
const NEXT_STEP = /^\s*(enter|check|choose|use)\b/i;
const UNACCEPTABLE = /\b(enter|valid|invalid|allowed|accepted|supported|at most)\b/i;

/**
 * Returns what to show for the error text of a rejection. An error about the e-mail address belongs to its field, with a
 * next step. The response has no code for the field, so its text decides: an e-mail that could not be sent is no error of
 * the field.
 */
export function rejectionOf(text: string, host: string | null): Rejection {
  const taken = TAKEN.test(text);
  if (!EMAIL.test(text) || !(taken || UNACCEPTABLE.test(text))) return { errors: {}, error: text, focus: "error" };
  if (NEXT_STEP.test(text)) return { errors: { email: text }, focus: "email" };
  const nextStep =
    taken && host !== null
      ? `Use a different email, or go to ${host} if you already have an account there.`
      : "Check the address, or use a different one.";
  const sentence = /[.!?…]\s*$/.test(text) ? text : `${text}.`;
  return { errors: { email: `${sentence} ${nextStep}` }, focus: "email" };
}
