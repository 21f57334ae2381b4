import { describe, expect, test } from "vitest";

import { requestHeaders, responseHeaders } from "./forward.js";

const LOCAL = "http://localhost:5173";
const SITE = "https://site.example";

describe("requestHeaders", () => {
  test("a form post gets the origin of the site", () => {
    const headers = { host: "localhost:5173", origin: LOCAL, referer: `${LOCAL}/subscribe?a=1`, cookie: "a=1" };
    expect(requestHeaders(headers, LOCAL, SITE)).toEqual({
      host: "site.example",
      origin: SITE,
      referer: `${SITE}/subscribe?a=1`,
      cookie: "a=1",
    });
  });

  test("a request of another origin keeps its headers", () => {
    const headers = {
      origin: "http://localhost:51730",
      referer: "http://localhost:51730/",
      "sec-fetch-site": "same-site",
    };
    expect(requestHeaders(headers, LOCAL, SITE)).toEqual({ host: "site.example", ...headers });
  });

  test("headers of the connection are not forwarded", () => {
    expect(requestHeaders({ connection: "upgrade", upgrade: "websocket", te: "trailers" }, LOCAL, SITE)).toEqual({
      host: "site.example",
    });
  });
});

describe("responseHeaders", () => {
  test.each([
    [`${SITE}/success`, `${LOCAL}/success`],
    ["/success", "/success"],
    ["https://site.example.org/", "https://site.example.org/"],
  ])("the redirect to %s leads to %s", (location, expected) => {
    expect(responseHeaders({ location }, LOCAL, SITE)).toEqual({ location: expected });
  });

  test("the HSTS header is not forwarded", () => {
    expect(responseHeaders({ "strict-transport-security": "max-age=1", etag: '"1"' }, LOCAL, SITE)).toEqual({
      etag: '"1"',
    });
  });

  test("violations are not reported to the site", () => {
    const policy = "default-src 'none'; trusted-types default; report-uri https://reports.example/; report-to csp";
    const policies = { "content-security-policy": policy, "content-security-policy-report-only": policy };
    const headers = { ...policies, "reporting-endpoints": 'csp="https://reports.example/"' };
    const expected = "default-src 'none'; trusted-types default";
    expect(responseHeaders(headers, LOCAL, SITE)).toEqual({
      "content-security-policy": expected,
      "content-security-policy-report-only": expected,
    });
  });

  test.each([
    ["a=1; Domain=site.example; Path=/; Secure; HttpOnly", "a=1; Path=/; HttpOnly"],
    ["__Host-a=1; Path=/; Secure; SameSite=Lax", "__Host-a=1; Path=/; Secure; SameSite=Lax"],
  ])("the cookie %s becomes %s", (cookie, expected) => {
    expect(responseHeaders({ "set-cookie": [cookie] }, LOCAL, SITE)).toEqual({ "set-cookie": [expected] });
  });
});
