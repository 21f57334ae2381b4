import { defineSection, type AnyPage, type Section } from "@colonnade/kit";
import type { Asset, ResolvedPage } from "@colonnade/kit/shell";
import { beforeEach, expect, test, vi } from "vitest";

import { loadSection } from "./federation.js";
import { loadPage, preloadPage } from "./loadPage.js";
import { ensureStyles } from "./styles.js";

vi.mock("./federation.js", () => ({ loadSection: vi.fn() }));
vi.mock("./styles.js", () => ({ ensureStyles: vi.fn() }));

function styleOf(name: string): Asset {
  return { type: "style", href: `/assets/hello/1.0.0/${name}`, name, integrity: "sha384-x" };
}

const RESOLVED: ResolvedPage = {
  section: {
    name: "hello",
    version: "1.0.0",
    container: "hello_1",
    entry: "/assets/hello/1.0.0/entry.js",
    integrity: "sha384-x",
    assets: [styleOf("section.css")],
  },
  pattern: "/hello/:language",
  assets: [styleOf("page.css")],
  bytes: 143_000,
};
const page = {} as AnyPage;

function sectionOf(pages: Section["pages"]): Section {
  return defineSection({ name: "hello", contract: 1, pages });
}

beforeEach(() => {
  vi.mocked(ensureStyles).mockReset().mockResolvedValue();
  vi.mocked(loadSection)
    .mockReset()
    .mockResolvedValue(sectionOf({ "/hello/:language": () => Promise.resolve({ page }) }));
});

test("loadPage returns the page and the path parameters", async () => {
  const loaded = await loadPage("/hello/Te%20Reo%20M%C4%81ori", RESOLVED);
  expect(loaded.page).toBe(page);
  expect(loaded.params).toEqual({ language: "Te Reo Māori" });
});

test("the page's code loads after its stylesheets", async () => {
  let finishStyles = (): void => undefined;
  vi.mocked(ensureStyles).mockReturnValue(
    new Promise((resolve) => {
      finishStyles = resolve;
    }),
  );
  const load = vi.fn(() => Promise.resolve({ page }));
  vi.mocked(loadSection).mockResolvedValue(sectionOf({ "/hello/:language": load }));
  const loading = loadPage("/hello/Welsh", RESOLVED);
  await vi.waitFor(() => {
    expect(loadSection).toHaveBeenCalledWith(RESOLVED.section, RESOLVED.bytes);
    expect(ensureStyles).toHaveBeenCalledWith([styleOf("section.css"), styleOf("page.css")], RESOLVED.bytes);
  });
  expect(load).not.toHaveBeenCalled();
  finishStyles();
  await loading;
  expect(load).toHaveBeenCalledOnce();
});

test("a stylesheet that fails to load fails the page", async () => {
  vi.mocked(ensureStyles).mockRejectedValue(new Error("the stylesheet /page.css could not be loaded"));
  await expect(loadPage("/hello/Welsh", RESOLVED)).rejects.toThrow("the stylesheet /page.css could not be loaded");
});

test.each([
  ["a section without the page", "/hello/Welsh", "/hello/:language", sectionOf({})],
  ["a pattern that the path does not match", "/hello", "/hello/:language", undefined],
])("the error names %s", async (_, path, pattern, section) => {
  if (section) vi.mocked(loadSection).mockResolvedValue(section);
  await expect(loadPage(path, RESOLVED)).rejects.toThrow(`the section "hello" has no page "${pattern}" for ${path}`);
});

test("a preload is used once, and retried if it failed", async () => {
  vi.mocked(loadSection).mockRejectedValueOnce(new Error("preload failed"));
  preloadPage("/hello/Welsh", RESOLVED);
  await expect(loadPage("/hello/Welsh", RESOLVED)).rejects.toThrow("preload failed");
  expect(loadSection).toHaveBeenCalledTimes(1);
  expect((await loadPage("/hello/Welsh", RESOLVED)).page).toBe(page);
  expect(loadSection).toHaveBeenCalledTimes(2);
});

test("a preloaded page is used only for its own path", async () => {
  preloadPage("/hello/Welsh", RESOLVED);
  expect((await loadPage("/hello/Maltese", RESOLVED)).params).toEqual({ language: "Maltese" });
  expect((await loadPage("/hello/Welsh", RESOLVED)).params).toEqual({ language: "Welsh" });
  expect(loadSection).toHaveBeenCalledTimes(2);
});
