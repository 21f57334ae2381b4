// @vitest-environment node
// Without a DOM, as in the gateway's sandbox: a section in two languages, as in docs/recipes/languages.md.
import { definePage, defineSection, type PageModule } from "@colonnade/kit";
import type { Rendered } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { createInstance } from "i18next";
import { createElement } from "react";
import { expect, test } from "vitest";

import { createShell } from "./parts.js";
import { plainParts } from "./plain.js";
import { createRender } from "./server.js";

const PATHS = { en: "/welcome", de: "/de/willkommen" };
const ALTERNATES = Object.entries(PATHS).map(([language, path]) => ({ language, path }));

function welcomeIn(language: keyof typeof PATHS, texts: Readonly<Record<string, string>>): () => Promise<PageModule> {
  const instance = createInstance();
  void instance.init({ lng: language, resources: { [language]: { translation: texts } } });
  const t = instance.getFixedT(language);
  const page = definePage({
    data: () => Promise.resolve({ books: 3 }),
    head: () => ({
      title: t("title"),
      description: t("title"),
      canonical: PATHS[language],
      language,
      alternates: ALTERNATES,
    }),
    Component: ({ data }) => createElement("p", null, t("books", { count: data.books })),
  });
  return () => Promise.resolve({ page });
}

const section = defineSection({
  name: "welcome",
  contract: 1,
  pages: {
    [PATHS.en]: welcomeIn("en", { title: "Welcome", books_one: "{{count}} book", books_other: "{{count}} books" }),
    [PATHS.de]: welcomeIn("de", { title: "Willkommen", books_one: "{{count}} Buch", books_other: "{{count}} Bücher" }),
  },
});

test("renders of two languages at the same time keep each in its own", async () => {
  const render = createRender(createShell(plainParts()));
  const results = await Promise.all(
    Object.values(PATHS).map((path) =>
      render(section, { path, page: { section: "welcome", pattern: path }, site: TEST_SITE }),
    ),
  );
  const [english, german] = results as Rendered[];
  expect(english?.html).toContain("<p>3 books</p>");
  expect(english?.head).toMatchObject({ title: "Welcome", language: "en", alternates: ALTERNATES });
  expect(german?.html).toContain("<p>3 Bücher</p>");
  expect(german?.head).toMatchObject({ title: "Willkommen", language: "de", alternates: ALTERNATES });
});
