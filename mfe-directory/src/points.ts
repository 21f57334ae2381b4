import { defineExtensionPoint } from "@colonnade/kit/extensions";

import type { Place } from "./data/links";

const PLACES: readonly Place[] = [
  { state: "Texas", city: "Austin" },
  { state: "Alaska", city: "Nome" },
];

/** Below the heading of a state's page. */
export const stateAside = defineExtensionPoint<{ readonly state: string }>({
  id: "directory/state-aside",
  version: 1,
  max: 4,
  examples: [{ state: "Texas" }, { state: "Alaska" }],
});

/** Below the heading of a city's page. */
export const cityAside = defineExtensionPoint<Place>({
  id: "directory/city-aside",
  version: 1,
  max: 4,
  examples: PLACES,
});

/** Above an ad, below its notice. */
export const adAside = defineExtensionPoint<Place>({
  id: "directory/ad-aside",
  version: 1,
  max: 4,
  examples: PLACES,
});
