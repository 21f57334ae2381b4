import { readTabJson, writeTab } from "./storage.js";

/** A form that was sent from this tab. Never what was typed. */
export interface SentForm {
  /** When it was sent: a time as in ISO 8601. */
  readonly at: string;
  /** The host that receives it. */
  readonly host: string;
  /** The names of its fields. */
  readonly fields: readonly string[];
}

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

/** Records that a form with these fields is sent now. */
export function recordSentForm(host: string, fields: readonly string[]): void {
  const form: SentForm = { at: new Date().toISOString(), host, fields };
  writeTab("sent", JSON.stringify([...sentForms(), form]));
}
