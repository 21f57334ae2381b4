import { expect, test } from "vitest";

import { recordStyles } from "./styleLinks.js";

/** A link, as the browser has it once it is loaded. */
function loaded(href: string, disabled?: boolean): HTMLLinkElement {
  const link = document.createElement("link");
  link.href = href;
  Object.defineProperty(link, "sheet", { value: { disabled } });
  return link;
}

function inserted(href: string, disabled: boolean): HTMLLinkElement {
  const link = loaded(href, disabled);
  // Set now, because happy-dom loads a stylesheet when it is inserted.
  link.setAttribute("rel", "stylesheet");
  document.head.append(link);
  return link;
}

test("a hot update changes all links of a stylesheet, and none that was not in force is then", () => {
  const settings = (globalThis as unknown as { happyDOM: { settings: Record<string, unknown> } }).happyDOM.settings;
  settings.handleDisabledFileLoadingAsSuccess = true;
  const [shared, other, copy] = [
    inserted("/shared.css", true),
    inserted("/other.css", false),
    inserted("/shared.css", false),
  ];
  copy.media = "not all";
  const restore = recordStyles();
  const replaced = loaded("/shared.css", false);
  replaced.rel = "stylesheet";
  shared.replaceWith(replaced);
  restore();

  replaced.dispatchEvent(new Event("load"));
  expect(replaced.sheet?.disabled).toBe(true);
  const links = [...document.head.querySelectorAll("link")];
  expect(links.slice(0, 2)).toEqual([replaced, other]);
  expect(links[2]?.outerHTML).toBe('<link href="/shared.css" rel="stylesheet">');
  expect(links[2]).not.toBe(copy);
});
