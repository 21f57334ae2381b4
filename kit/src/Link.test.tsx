import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";

import { Link } from "./Link.js";

test("a link is a plain anchor", () => {
  expect(renderToStaticMarkup(<Link to="/state/New%20York">New York</Link>)).toBe(
    '<a href="/state/New%20York">New York</a>',
  );
});

test("a link passes an anchor's attributes on", () => {
  expect(
    renderToStaticMarkup(
      <Link to="/" className="logo" aria-label="Home" rel="home">
        Site
      </Link>,
    ),
  ).toBe('<a href="/" class="logo" aria-label="Home" rel="home">Site</a>');
});
