import type { Boot } from "@colonnade/kit/shell";
import { afterEach, expect, test, vi } from "vitest";

import { isDocumentOfUrl, readBoot, revealDocumentMembers } from "./boot.js";
import { searchNames } from "./loading/reload.js";

const PAYLOAD = '<script type="application/json" id="boot">{"deployment":"7"}</script>';

function parse(page: string, payload = PAYLOAD): Document {
  const parsed = document.implementation.createHTMLDocument();
  parsed.body.innerHTML = `<div id="root">${page}</div>${payload}`;
  return parsed;
}

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  ["a heading", '<h2 id="boot">Boot</h2>'],
  ["data", '<div id="boot">{"deployment":1}</div>'],
  ["a data block", '<script type="application/json" id="boot">{"deployment":1}</script>'],
])("the boot payload is the gateway’s, not %s of a page with its ID", (_, page) => {
  expect(readBoot(parse(page))).toEqual({ deployment: "7" });
});

test("the tab is pinned to the candidates of other pages, too", () => {
  const serverTiming = [
    { name: "cache", description: "hit" },
    { name: "deployment", description: "7.8.9" },
  ];
  vi.spyOn(performance, "getEntriesByType").mockReturnValue([{ serverTiming } as unknown as PerformanceEntry]);
  expect(readBoot(parse(""))).toEqual({ deployment: "7.8.9" });
});

test.each([
  ["/terms", {}, 0, true],
  ["/terms?utm_source=mail#contact", {}, 0, true],
  ["/privacy", {}, 0, false],
  ["/old-terms", {}, 1, true],
  ["/api/feedback/notes", { form: { page: "/terms" } }, 0, true],
])(
  "at /terms, the document of %s, with %j after %i redirects, is that of the URL: %s",
  (path, boot, redirectCount, is) => {
    history.replaceState(null, "", "/terms");
    searchNames.set("/terms", []);
    const entry = { name: location.origin + path, redirectCount };
    vi.spyOn(performance, "getEntriesByType").mockReturnValue([entry as unknown as PerformanceEntry]);
    expect(isDocumentOfUrl({ ...readBoot(parse("")), ...boot } as Boot)).toBe(is);
  },
);

test("a document without boot payload is an error", () => {
  expect(() => readBoot(parse('<div id="boot">{}</div>', ""))).toThrow("the document has no boot payload");
});

test("names of elements that are rendered later and hide members of the document are removed, too", async () => {
  const page = parse("<main></main>");
  revealDocumentMembers(page);
  const main = page.querySelector("main");
  main?.insertAdjacentHTML("beforeend", '<div><img name="photo"><form name="createElement"></form></div>');
  await Promise.resolve();
  expect(main?.innerHTML).toBe('<div><img name="photo"><form></form></div>');
  main?.querySelector("img")?.setAttribute("name", "activeElement");
  await Promise.resolve();
  expect(main?.innerHTML).toBe("<div><img><form></form></div>");
});

test("names of elements that hide members of the document are removed, and others stay", () => {
  const page = parse(
    '<form id="body" name="head"><input name="getAttribute"></form><img id="body" name="photo"><img id="title">' +
      '<object id="forms"></object><embed name="map"><a name="cookie">A</a>',
  );
  revealDocumentMembers(page);
  expect(page.getElementById("root")?.innerHTML).toBe(
    '<form id="body"><input name="getAttribute"></form><img name="photo"><img id="title">' +
      '<object></object><embed name="map"><a name="cookie">A</a>',
  );
});

test("a change of the page looks only at what changed", async () => {
  const page = parse('<main></main><img name="photo">');
  const photo = page.querySelector("img");
  revealDocumentMembers(page);
  const read = vi.spyOn(Element.prototype, "getAttribute");
  page.querySelector("main")?.insertAdjacentHTML("beforeend", '<p>A<img name="map"></p>');
  const map = page.querySelector("main img");
  await Promise.resolve();
  expect(read.mock.contexts).toContain(map);
  expect(read.mock.contexts).not.toContain(photo);
});

test("a name that code of the page restores is removed twice, and then stays", async () => {
  const page = parse('<img name="head">');
  const image = page.querySelector("img");
  let restored = 0;
  const observer = new MutationObserver(() => {
    if (image?.hasAttribute("name") || restored === 9) return;
    restored += 1;
    image?.setAttribute("name", "head");
  });
  observer.observe(page, { subtree: true, attributes: true });
  revealDocumentMembers(page);
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
  observer.disconnect();
  expect(restored).toBe(2);
  expect(image?.getAttribute("name")).toBe("head");
});
