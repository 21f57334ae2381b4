// @vitest-environment happy-dom
import { afterEach, describe, expect, test } from "vitest";

import { hasTypedText, isCurrentPath, searchNames, viewPath } from "./reload.js";

describe("hasTypedText", () => {
  afterEach(() => {
    document.body.innerHTML = "";
  });

  test.each([
    '<input value="visitor@example.com">',
    '<input type="password" value="x">',
    '<input type="number" value="34">',
    "<dialog open><form><textarea>text</textarea></form></dialog>",
  ])("%s counts as typed text", (html) => {
    document.body.innerHTML = html;
    expect(hasTypedText()).toBe(true);
  });

  test.each([
    "<p>text</p>",
    '<input value=""><textarea></textarea>',
    '<input type="hidden" value="x"><input type="submit" value="Send">',
    '<input type="checkbox" value="on" checked>',
  ])("%s does not count as typed text", (html) => {
    document.body.innerHTML = html;
    expect(hasTypedText()).toBe(false);
  });
});

test("isCurrentPath matches encoded and decoded paths", () => {
  history.replaceState(null, "", "/state/New%20York");
  expect(isCurrentPath("/state/New%20York")).toBe(true);
  expect(isCurrentPath("/state/New York")).toBe(true);
  expect(isCurrentPath("/state/Texas")).toBe(false);
  history.replaceState(null, "", "/");
});

describe("viewPath", () => {
  afterEach(() => {
    searchNames.clear();
  });

  test.each([
    [undefined, "?b=1&a=2", "/list?a=2&b=1"],
    [undefined, "", "/list"],
    [[], "?b=1&a=2", "/list"],
    [["a"], "?b=1&a=2", "/list?a=2"],
    [["a", "b"], "?b=1&x=3&a=2", "/list?a=2&b=1"],
    [["a"], "?ab=1", "/list"],
    [["a"], "?a", "/list"],
  ])("of a page with the parameters %j at %j is %s", (names, search, path) => {
    if (names) searchNames.set("/list", names);
    expect(viewPath({ pathname: "/list", search })).toBe(path);
    expect(viewPath({ pathname: "/list/", search })).toBe(path);
  });

  test("is current if only other parameters differ", () => {
    searchNames.set("/list", ["page"]);
    history.replaceState(null, "", "/list?page=2&utm_source=x");
    expect(isCurrentPath("/list?page=2")).toBe(true);
    expect(isCurrentPath("/list?page=3")).toBe(false);
    expect(isCurrentPath("/list")).toBe(false);
    history.replaceState(null, "", "/");
  });
});
