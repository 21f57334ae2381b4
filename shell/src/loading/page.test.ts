import { defineSection, type AnyPage, type Section } from "@colonnade/kit";
import type { Asset, PageAnswer } from "@colonnade/kit/shell";
import { beforeEach, expect, test, vi } from "vitest";

import { loadSection } from "./federation";
import { beginPage, loadPage } from "./page";
import { ensureStyles } from "./styles";

vi.mock("./federation", () => ({ loadSection: vi.fn() }));
vi.mock("./styles", () => ({ ensureStyles: vi.fn() }));

function styleOf(name: string): Asset {
  return { type: "style", href: `/assets/hello/1.0.0/${name}`, name, integrity: "sha384-x" };
}

const ANSWER: PageAnswer = {
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

test("a page comes with what its pattern makes of the path", async () => {
  const loaded = await loadPage("/hello/Te%20Reo%20M%C4%81ori", ANSWER);
  expect(loaded.page).toBe(page);
  expect(loaded.params).toEqual({ language: "Te Reo Māori" });
});

test("it comes after the section's stylesheets and its own", async () => {
  let styled = (): void => undefined;
  vi.mocked(ensureStyles).mockReturnValue(
    new Promise((resolve) => {
      styled = resolve;
    }),
  );
  const load = vi.fn(() => Promise.resolve({ page }));
  vi.mocked(loadSection).mockResolvedValue(sectionOf({ "/hello/:language": load }));
  const loading = loadPage("/hello/Welsh", ANSWER);
  await vi.waitFor(() => {
    expect(ensureStyles).toHaveBeenCalledWith([styleOf("section.css"), styleOf("page.css")]);
  });
  expect(load).not.toHaveBeenCalled();
  styled();
  await loading;
  expect(load).toHaveBeenCalledOnce();
});

test("a stylesheet that does not come is a page that does not", async () => {
  vi.mocked(ensureStyles).mockRejectedValue(new Error("the stylesheet /page.css could not be loaded"));
  await expect(loadPage("/hello/Welsh", ANSWER)).rejects.toThrow("the stylesheet /page.css could not be loaded");
});

test.each([
  ["a section without the page", "/hello/Welsh", "/hello/:language", sectionOf({})],
  ["a pattern that the path does not match", "/hello", "/hello/:language", undefined],
])("%s is named", async (_, path, pattern, section) => {
  if (section) vi.mocked(loadSection).mockResolvedValue(section);
  await expect(loadPage(path, ANSWER)).rejects.toThrow(`the section "hello" has no page "${pattern}" for ${path}`);
});

test("a page that was begun is had by the first who asks for it, and is tried afresh after that", async () => {
  vi.mocked(loadSection).mockRejectedValueOnce(new Error("not yet"));
  beginPage("/hello/Welsh", ANSWER);
  await expect(loadPage("/hello/Welsh", ANSWER)).rejects.toThrow("not yet");
  expect(loadSection).toHaveBeenCalledTimes(1);
  expect((await loadPage("/hello/Welsh", ANSWER)).page).toBe(page);
  expect(loadSection).toHaveBeenCalledTimes(2);
});

test("a page that was begun is not taken for another", async () => {
  beginPage("/hello/Welsh", ANSWER);
  expect((await loadPage("/hello/Maltese", ANSWER)).params).toEqual({ language: "Maltese" });
  expect((await loadPage("/hello/Welsh", ANSWER)).params).toEqual({ language: "Welsh" });
  expect(loadSection).toHaveBeenCalledTimes(2);
});
