import { readFileSync } from "node:fs";
import path from "node:path";

import { TEST_SITE } from "@colonnade/kit/testing";
import { describe, expect, it, test } from "vitest";

import { destinationOf, type Destination } from "./destination";

interface Table {
  readonly origin: string;
  readonly hosts: readonly string[];
  /** Targets, and the address each leads to, or null where the site's own page is the end. */
  readonly cases: readonly { readonly target: string; readonly leads: string | null }[];
}

// The cases that the gateway is tested against, too.
const { origin, hosts, cases } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "../../../tests/tables/redirects.json"), "utf8"),
) as Table;

const SUCCESS = { kind: "page", path: "/success" };

function lead(redirectUrl: unknown): Destination {
  return destinationOf(redirectUrl, origin, { ...TEST_SITE.signup, redirectHosts: hosts });
}

function addressOf(destination: Destination): string {
  return destination.kind === "page" ? `${origin}${destination.path}` : destination.url;
}

describe("destinationOf", () => {
  it.each([undefined, null, 5, {}, ["/terms"]])("%j, no address, leads to the site's own page", (redirectUrl) => {
    expect(lead(redirectUrl)).toEqual(SUCCESS);
  });

  test.each(cases)("$target leads to $leads, as the gateway has it", ({ target, leads }) => {
    if (leads === null) expect(lead(target)).toEqual(SUCCESS);
    else expect(addressOf(lead(target))).toBe(leads);
  });

  it.each(["/terms", "https://site.example/terms", "/terms#payment", "/state/New York"])(
    "%s is a page of this site",
    (redirectUrl) => {
      expect(lead(redirectUrl).kind).toBe("page");
    },
  );

  it("an address with a query is loaded by the browser", () => {
    expect(lead("/terms?from=signup").kind).toBe("document");
  });

  it("another host is named", () => {
    expect(lead("https://members.example.com/welcome")).toMatchObject({ kind: "away", host: "members.example.com" });
  });
});
