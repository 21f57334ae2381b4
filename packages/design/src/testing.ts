// What tests of the bundled site's sections render with, besides the kit's test site.
import type { Facts, Site } from "@colonnade/kit";
import { TEST_SITE } from "@colonnade/kit/testing";

import { signupOf, type Partner, type Signup } from "./site.js";

/** Facts for tests. */
export const TEST_FACTS: Facts = {
  legalEntity: "Test Company",
  processingCountry: "the United States",
  retention: "logs are kept for 30 days",
  governingLaw: "the State of Testing",
  exit: "https://www.weather.example/",
};

/** A site for tests, without sign-up backend or partner. */
export const DIRECTORY: Site = { ...TEST_SITE, facts: TEST_FACTS };

/** Integrations for tests. `signup` replaces values of those without a backend. */
export function integrations(signup: Partial<Signup>, partner?: Partner): Site["integrations"] {
  return { signup: { ...signupOf(TEST_SITE), ...signup }, ...(partner && { partner }) };
}
