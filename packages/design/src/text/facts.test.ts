import { describe, expect, it } from "vitest";

import { DIRECTORY, integrations, TEST_FACTS } from "../testing.js";
import { factOf, fillFacts } from "./facts.js";

const PARTNER = { id: "example", name: "Example Partner", host: "partner.example", url: "https://partner.example/" };

describe("facts", () => {
  it.each([
    ["brand", "Test Site"],
    ["contact", "contact@site.example"],
    ["legalEntity", "Test Company"],
    ["origin", "https://site.example"],
    ["processingCountry", "the United States"],
    ["retention", TEST_FACTS.retention],
    ["governingLaw", "the State of Testing"],
    ["signupRecipient", "no one at present: sign-up is not configured"],
    ["partnerName", "no partner at present"],
  ])("%s of the test site is %j", (name, value) => {
    expect(factOf(name, DIRECTORY)).toBe(value);
  });

  it("fillFacts names the configured recipient and partner", () => {
    const site = { ...DIRECTORY, integrations: integrations({ host: "signup.example" }, PARTNER) };
    expect(fillFacts("{signupRecipient} and {partnerName}", site)).toBe("signup.example and Example Partner");
  });

  it.each(["unknown", "constructor", "Brand"])("an unknown fact (%s) throws an error", (name) => {
    expect(() => fillFacts(`{${name}}`, DIRECTORY)).toThrow(
      `unknown site fact {${name}}; expected one of brand, contact,`,
    );
  });
});
