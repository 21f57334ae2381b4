import { cleanup, render, screen } from "@testing-library/react";
import type { ReactElement } from "react";
import { afterEach, expect, test, vi } from "vitest";

import { tolerateMovedNodes } from "./movedNodes.js";

type Change = (text: Text) => void;

/** As Google Translate does: another text in two elements takes the place of the text node. */
const replace: Change = (text) => {
  const outer = document.createElement("i");
  outer.appendChild(document.createElement("i")).textContent = text.data.toUpperCase();
  text.replaceWith(outer);
};

/** As other extensions do: the text node itself moves into an element. */
const wrap: Change = (text) => {
  const outer = document.createElement("mark");
  text.replaceWith(outer);
  outer.append(text);
};

function changeTexts(root: Element, change: Change): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  texts.forEach(change);
}

function Status({ sending = false, shown = false }): ReactElement {
  return (
    <p role="status">
      {sending && "Sending. "}
      {shown && "Showing."}
      {shown ? <b>Hide</b> : "Show"}
    </p>
  );
}

const ONLY = { before: <p role="status">Before</p>, after: <p role="status">After</p> };
const FEWER = { before: <Status shown />, after: <Status sending /> };
const MORE = { before: <Status />, after: <Status sending shown /> };

tolerateMovedNodes();

afterEach(cleanup);

test("the document is known to have moved nodes, and React’s own updates move none", async () => {
  vi.resetModules();
  const { hasMovedNodes, tolerateMovedNodes: tolerateAgain } = await import("./movedNodes.js");
  tolerateAgain();
  render(FEWER.before).rerender(FEWER.after);
  expect(screen.getByRole("status").textContent).toBe("Sending. Show");
  expect(hasMovedNodes()).toBe(false);
  cleanup();
  const { rerender } = render(FEWER.before);
  changeTexts(screen.getByRole("status"), wrap);
  rerender(FEWER.after);
  expect(hasMovedNodes()).toBe(true);
});

test.each([
  ["wrapped", "go, and others come in order", wrap, FEWER, "Sending. Show"],
  ["wrapped", "stay, and others come in order", wrap, MORE, "Sending. Showing.Hide"],
  ["replaced", "leave what replaced them, and others come at the end", replace, FEWER, "SHOWING.Sending. Show"],
  ["replaced", "leave what replaced them if others come", replace, MORE, "SHOWSending. Showing.Hide"],
  ["replaced", "change as a whole if they are alone in their element", replace, ONLY, "After"],
] as const)("texts that an extension has %s %s", (_, __, change, { before, after }, text) => {
  const { rerender } = render(before);
  const status = screen.getByRole("status");
  changeTexts(status, change);
  rerender(after);
  expect(status.isConnected).toBe(true);
  expect(status.textContent).toBe(text);
});
