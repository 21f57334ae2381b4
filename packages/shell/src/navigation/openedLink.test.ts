// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from "vitest";

import { focusOpenedLink, saveOpenedLink } from "./openedLink.js";

const PAGE =
  '<input id="field"><a href="/a">A</a><a href="/b">B</a><a href="/a">A again</a><a href="/o" tabindex="-1">Option</a>';

function link(index: number): HTMLAnchorElement {
  const found = document.querySelectorAll("a")[index];
  if (!found) throw new Error(`the page has no link ${String(index)}`);
  return found;
}

describe("the opened link", () => {
  beforeEach(() => {
    history.replaceState({ key: "entry" }, "");
    document.body.innerHTML = PAGE;
  });

  test.each([0, 1, 2])("number %i is focused in a new document", (index) => {
    saveOpenedLink(link(index));
    document.body.innerHTML = PAGE;
    expect(focusOpenedLink()).toBe(true);
    expect(document.activeElement).toBe(link(index));
  });

  test("is found without a link to the same path that the focus has shown", () => {
    document.body.insertAdjacentHTML("afterbegin", '<a href="/b" tabindex="-1">Pin of B</a>');
    saveOpenedLink(link(2));
    document.body.innerHTML = PAGE;
    expect(focusOpenedLink()).toBe(true);
    expect(document.activeElement).toBe(link(1));
  });

  test("is the focused field for an option", () => {
    document.getElementById("field")?.focus();
    saveOpenedLink(link(3));
    document.body.innerHTML = PAGE;
    expect(focusOpenedLink()).toBe(true);
    expect(document.activeElement?.id).toBe("field");
  });

  test("is saved with the scroll position, and other fields stay", () => {
    saveOpenedLink(link(1));
    expect(history.state).toEqual({ key: "entry", scrollTop: 0, opener: { href: "/b", index: 0 } });
  });

  test("is not focused if it is gone", () => {
    saveOpenedLink(link(2));
    document.body.innerHTML = '<a href="/a">A</a>';
    expect(focusOpenedLink()).toBe(false);
    expect(document.activeElement).toBe(document.body);
  });

  test.each([null, 7, { opener: 7 }, { opener: { href: 7, index: "x" } }, { opener: { id: {} } }])(
    "a history state of %j is tolerated",
    (state) => {
      history.replaceState(state, "");
      expect(focusOpenedLink()).toBe(false);
    },
  );
});
