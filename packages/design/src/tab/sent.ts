import { readTabJson, writeTab } from "./storage.js";

/** A form that was sent from this tab. Never what was typed. */
export interface SentForm {
  /** When it was sent: a time as in ISO 8601. */
  readonly at: string;
  /** The host that receives it. */
  readonly host: string;
  /** The names of its fields. */
  readonly fields: readonly string[];
  /** What the response said. Undefined if the form may not have arrived. */
  readonly result?: SentResult;
}

/** What a response says of a form: it was accepted; it was refused; or this site stopped it, and did not pass it on. */
export type SentResult = "accepted" | "refused" | "stopped";

function isSentForm(value: unknown): value is SentForm {
  const { at, host, fields } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const isTime = typeof at === "string" && !Number.isNaN(Date.parse(at));
  return (
    isTime && typeof host === "string" && Array.isArray(fields) && fields.every((name) => typeof name === "string")
  );
}

/** Returns the forms that were sent from this tab. */
export function sentForms(): readonly SentForm[] {
  const stored = readTabJson("sent");
  return Array.isArray(stored) ? stored.filter(isSentForm) : [];
}

/**
 * Records that a form with these fields is sent now. Returns a function that records the result, or forgets a form that the browser
 * did not send.
 */
export function recordSentForm(host: string, fields: readonly string[]): (result: SentResult | "unsent") => void {
  const at = new Date().toISOString();
  const record = (result?: SentResult | "unsent"): void => {
    const others = sentForms().filter((form) => form.at !== at);
    const form = result === "unsent" ? [] : [{ at, host, fields, result }];
    writeTab("sent", JSON.stringify([...others, ...form]));
  };
  record();
  return record;
}
