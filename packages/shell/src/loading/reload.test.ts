// @vitest-environment happy-dom
import { afterEach, describe, expect, test } from "vitest";

import { hasTypedText, isCurrentPath } from "./reload.js";

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
