// Compiles the pages of the documentation as its site does, without their colors and scripts. `make docs` builds the site.
import path from "node:path";

import { createMarkdownRenderer } from "vitepress";
import { expect, test } from "vitest";
import { compileTemplate } from "vue/compiler-sfc";

import config from "../../docs/.vitepress/config.js";
import { FILES, read, ROOT } from "./repository.js";

const PAGES = FILES.filter((file) => /^docs\/.*\.md$/.test(file));
const markdown = await createMarkdownRenderer(path.join(ROOT, "docs"), {
  ...config.markdown,
  highlight: (code) => `<pre v-pre><code>${markdown.utils.escapeHtml(code)}</code></pre>`,
});

test.each(PAGES)("%s compiles", (page) => {
  const source = markdown.render(read(page), { path: path.join(ROOT, page), relativePath: page, cleanUrls: true });
  const { errors } = compileTemplate({ source: `<div>${source}</div>`, filename: page, id: page });
  expect(errors).toEqual([]);
});
