import { afterEach, beforeAll, expect, test } from "vitest";

import { keepStylesDisabled } from "./hotStyles.js";

/** A link as the browser has it once it is loaded. */
function linkOf(href: string, disabled?: boolean): HTMLLinkElement {
  const link = document.createElement("link");
  link.href = href;
  if (disabled !== undefined) Object.defineProperty(link, "sheet", { value: { disabled } });
  link.media = "not all";
  link.rel = "stylesheet";
  return link;
}

beforeAll(() => {
  const { happyDOM } = globalThis as unknown as { happyDOM: { settings: Record<string, boolean> } };
  happyDOM.settings.handleDisabledFileLoadingAsSuccess = true;
  keepStylesDisabled();
});

// Tests of other files share the document.
afterEach(() => {
  document.head.replaceChildren();
});

test.each([true, false])("a hot update keeps a stylesheet that is disabled: %s", async (disabled) => {
  const [old, next, last] = [linkOf("/a.css", disabled), linkOf("/a.css?1"), linkOf("/a.css?2", !disabled)];
  // The document's and the shell's have it, those of webpack may not.
  old.dataset.href = "a.css";
  document.head.append(old, linkOf("/b.css", false));
  await Promise.resolve();
  // Another update may come before the first is loaded.
  old.after(next);
  await Promise.resolve();
  next.after(last);
  await Promise.resolve();
  last.dispatchEvent(new Event("load"));
  expect(last.sheet?.disabled).toBe(disabled);
  expect(last.media).toBe("");
  // The shell's own.
  expect(old.media).toBe("not all");
});

test("a hot update keeps the part of a stylesheet", async () => {
  const [old, next] = [linkOf("/c.css"), linkOf("/c.css?1")];
  Object.assign(old.dataset, { href: "c.css", part: "shell/dialog@1 example" });
  document.head.append(old, next);
  await Promise.resolve();
  expect(next.dataset.part).toBe("shell/dialog@1 example");
});

test.each(["", "http://["])("links of an extension with the URL %j are left alone", async (url) => {
  const links = [linkOf(url), linkOf(url)];
  document.head.append(linkOf("/d.css"), ...links);
  await Promise.resolve();
  expect(links.map(({ media }) => media)).toEqual(["not all", "not all"]);
});
