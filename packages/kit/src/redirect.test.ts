import { expect, test, vi } from "vitest";

import { isRedirect, redirect } from "./redirect.js";

test.each(["/", "/events", "/events/Te%20Reo?day=1#top", "/events?a=/b"])("redirect accepts %s", (path) => {
  expect(redirect(path).path).toBe(path);
});

test.each(["", "events", "//other.example/", "/\\other.example", "https://other.example/", "/a b", "/é", "/?q=a b"])(
  "redirect rejects %j",
  (path) => {
    expect(() => redirect(path)).toThrow(`redirect("${path}"): not a path of this site`);
  },
);

test("isRedirect recognizes a value from another copy of the kit", async () => {
  vi.resetModules();
  const other = await import("./redirect.js");
  expect(other.redirect).not.toBe(redirect);
  expect(isRedirect(other.redirect("/"))).toBe(true);
  expect(other.isRedirect(redirect("/"))).toBe(true);
});

test.each([undefined, null, "/", { path: "/" }])("isRedirect rejects other data: %j", (data) => {
  expect(isRedirect(data)).toBe(false);
});
