// @vitest-environment happy-dom
import { afterEach, describe, expect, test } from "vitest";

import { holdsTypedText, isAt } from "./document";

describe("holdsTypedText", () => {
  afterEach(() => {
    document.body.innerHTML = "";
  });

  test.each([
    '<input value="visitor@example.com">',
    '<input type="password" value="x">',
    '<input type="number" value="34">',
    "<dialog open><form><textarea>text</textarea></form></dialog>",
  ])("%s does", (html) => {
    document.body.innerHTML = html;
    expect(holdsTypedText()).toBe(true);
  });

  test.each([
    "<p>text</p>",
    '<input value=""><textarea></textarea>',
    '<input type="hidden" value="x"><input type="submit" value="Send">',
    '<input type="checkbox" value="on" checked>',
  ])("%s does not", (html) => {
    document.body.innerHTML = html;
    expect(holdsTypedText()).toBe(false);
  });
});

test("a path is where the tab is, however it is written", () => {
  history.replaceState(null, "", "/state/New%20York");
  expect(isAt("/state/New%20York")).toBe(true);
  expect(isAt("/state/New York")).toBe(true);
  expect(isAt("/state/Texas")).toBe(false);
  history.replaceState(null, "", "/");
});
