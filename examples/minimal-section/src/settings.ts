import "@colonnade/kit";

declare module "@colonnade/kit" {
  interface Facts {
    readonly address: string;
    /** From Monday to Sunday. */
    readonly openingHours: readonly string[];
  }
}

/** The configuration of the section. */
export interface Config {
  /** How long an order takes. */
  readonly pickupDays: number;
}

/** The days of a week, as `openingHours` lists them. */
export const DAYS = ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"];
