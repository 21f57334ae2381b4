import type { Layout } from "@colonnade/kit";

/** A state of the United States. */
export interface State {
  readonly name: string;
  /** Which header its page asks the shell for. */
  readonly header: Layout["header"];
}

const HEADERS: Readonly<Partial<Record<string, Layout["header"]>>> = {
  Alabama: "plain",
  Alaska: "plain",
  Arizona: "plain",
  Oklahoma: "logo",
};

/** All 50 states, in alphabetical order. Their cities are in chunks of their own: `citiesOf` of places.ts. */
export const STATES: readonly State[] = [
  "Alabama",
  "Alaska",
  "Arizona",
  "Arkansas",
  "California",
  "Colorado",
  "Connecticut",
  "Delaware",
  "Florida",
  "Georgia",
  "Hawaii",
  "Idaho",
  "Illinois",
  "Indiana",
  "Iowa",
  "Kansas",
  "Kentucky",
  "Louisiana",
  "Maine",
  "Maryland",
  "Massachusetts",
  "Michigan",
  "Minnesota",
  "Mississippi",
  "Missouri",
  "Montana",
  "Nebraska",
  "Nevada",
  "New Hampshire",
  "New Jersey",
  "New Mexico",
  "New York",
  "North Carolina",
  "North Dakota",
  "Ohio",
  "Oklahoma",
  "Oregon",
  "Pennsylvania",
  "Rhode Island",
  "South Carolina",
  "South Dakota",
  "Tennessee",
  "Texas",
  "Utah",
  "Vermont",
  "Virginia",
  "Washington",
  "West Virginia",
  "Wisconsin",
  "Wyoming",
].map((name) => ({ name, header: HEADERS[name] ?? "menu" }));

/** The state of exactly that name. */
export function findState(name: string | undefined): State | undefined {
  return STATES.find((state) => state.name === name);
}
