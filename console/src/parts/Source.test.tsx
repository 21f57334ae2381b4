import { render } from "@testing-library/react";
import { expect, test } from "vitest";

import { Source } from "./Source.js";

const COMMIT = "4bf92f3577b34da6a3ce929d0e0e4736";

test.each([
  ["nothing without a source", undefined, ""],
  ["the commit in short, with its author", { commit: COMMIT, author: "jose" }, "<code>4bf92f3577b3</code> jose"],
  [
    "a link of the commit",
    { commit: COMMIT, url: "https://git.example/a" },
    '<a href="https://git.example/a"><code>4bf92f3577b3</code></a> ',
  ],
  ["a link without a commit", { url: "https://git.example/a" }, '<a href="https://git.example/a">source</a> '],
])("a release shows %s", (_, source, html) => {
  const { container } = render(<Source source={source} />);
  expect(container.innerHTML).toBe(html);
});
