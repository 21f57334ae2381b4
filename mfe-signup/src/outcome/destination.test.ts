import { TEST_SITE } from "@colonnade/kit/testing";
import { describe, expect, it } from "vitest";

import { destinationOf, type Destination } from "./destination";

const ORIGIN = "https://site.example";
const SUCCESS = { kind: "page", path: "/success" };

function lead(redirectUrl: unknown): Destination {
  return destinationOf(redirectUrl, ORIGIN, { ...TEST_SITE.signup, redirectHosts: ["members.example.com"] });
}

describe("destinationOf", () => {
  it.each([undefined, null, "", 5, {}, ["/terms"]])("%j, no address, leads to the site's own page", (redirectUrl) => {
    expect(lead(redirectUrl)).toEqual(SUCCESS);
  });

  it.each([
    ["/terms", "/terms"],
    ["/state/New York", "/state/New%20York"],
    ["https://site.example/terms", "/terms"],
    ["https://SITE.example:443/terms", "/terms"],
  ])("%s is a page of this site", (redirectUrl, path) => {
    expect(lead(redirectUrl)).toEqual({ kind: "page", path });
  });

  it.each(["/terms?from=signup", "/terms#payment"])("%s is loaded by the browser", (redirectUrl) => {
    expect(lead(redirectUrl)).toEqual({ kind: "document", url: `https://site.example${redirectUrl}` });
  });

  it("a configured host over https is followed", () => {
    expect(lead("https://members.example.com/welcome?to=you")).toEqual({
      kind: "away",
      url: "https://members.example.com/welcome?to=you",
      host: "members.example.com",
    });
  });

  it.each([
    "https://evil.example/",
    "http://members.example.com/",
    "https://members.example.com:8443/",
    "https://members.example.com.evil.example/",
    "https://www.members.example.com/",
    "https://site.example@evil.example/",
    "https://visitor:secret@members.example.com/",
    "https://visitor@site.example/terms",
    "http://site.example/terms",
    "https://site.example:8080/terms",
    "//evil.example/",
    "/\\evil.example/",
    "\\\\evil.example",
    "javascript:alert(1)",
    "data:text/html,hello",
    "blob:https://site.example/0b1c",
    "https://",
  ])("%s leads to the site's own page", (redirectUrl) => {
    expect(lead(redirectUrl)).toEqual(SUCCESS);
  });
});
