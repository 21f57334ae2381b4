import { TEST_SITE } from "@colonnade/kit/testing";
import { describe, expect, it } from "vitest";

import { factOf, fillFacts } from "./facts.js";

const PARTNER = { id: "example", name: "Example Partner", host: "partner.example", url: "https://partner.example/" };

describe("facts", () => {
  it.each([
    ["brand", "Test Directory"],
    ["contact", "contact@site.example"],
    ["legalEntity", "Test Company"],
    ["origin", "https://site.example"],
    ["processingCountry", "the United States"],
    ["retention", TEST_SITE.retention],
    ["governingLaw", "the State of Testing"],
    ["signupRecipient", "no one at present: sign-up is not configured"],
    ["partnerName", "no partner at present"],
  ])("%s of the test site is %j", (name, value) => {
    expect(factOf(name, TEST_SITE)).toBe(value);
  });

  it("fillFacts names the configured recipient and partner", () => {
    const site = { ...TEST_SITE, signup: { ...TEST_SITE.signup, host: "signup.example" }, partner: PARTNER };
    expect(fillFacts("{signupRecipient} and {partnerName}", site)).toBe("signup.example and Example Partner");
  });

  it.each(["unknown", "constructor", "Brand"])("an unknown fact (%s) throws an error", (name) => {
    expect(() => fillFacts(`{${name}}`, TEST_SITE)).toThrow(
      `unknown site fact {${name}}; expected one of brand, contact,`,
    );
  });
});
