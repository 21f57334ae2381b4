import { signupOf } from "@colonnade/design";
import { readFileSync } from "node:fs";
import path from "node:path";

import { TEST_SITE } from "@colonnade/kit/testing";
import { describe, expect, it, test } from "vitest";

import { destinationOf, type Destination } from "./destination";

interface Table {
  readonly origin: string;
  readonly hosts: readonly string[];
  /** Redirect targets and the resulting URLs. Null is the success page. */
  readonly cases: readonly { readonly target: string; readonly resolved: string | null }[];
}

// The gateway is tested against the same table.
const { origin, hosts, cases } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "../../../tests/tables/redirects.json"), "utf8"),
) as Table;

const SUCCESS = { kind: "page", path: "/success" };

function resolve(redirectUrl: unknown): Destination {
  return destinationOf(redirectUrl, origin, { ...signupOf(TEST_SITE), redirectHosts: hosts });
}

function urlOf(destination: Destination): string {
  return destination.kind === "page" ? `${origin}${destination.path}` : destination.url;
}

describe("destinationOf", () => {
  it.each([undefined, null, 5, {}, ["/terms"]])("%j, which is not a URL, leads to the success page", (redirectUrl) => {
    expect(resolve(redirectUrl)).toEqual(SUCCESS);
  });

  test.each(cases)("$target resolves to $resolved, as in the gateway", ({ target, resolved }) => {
    if (resolved === null) expect(resolve(target)).toEqual(SUCCESS);
    else expect(urlOf(resolve(target))).toBe(resolved);
  });

  it.each(["/terms", "https://site.example/terms", "/terms#payment", "/state/New York"])(
    "%s is a page of the site",
    (redirectUrl) => {
      expect(resolve(redirectUrl).kind).toBe("page");
    },
  );

  it("a path with a query is a full page load", () => {
    expect(resolve("/terms?from=signup").kind).toBe("document");
  });

  it("an external destination has a host", () => {
    expect(resolve("https://members.example.com/welcome")).toMatchObject({
      kind: "external",
      host: "members.example.com",
    });
  });
});
