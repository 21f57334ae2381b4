import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";

import { Link } from "./Link.js";

test("Link renders a plain anchor", () => {
  expect(renderToStaticMarkup(<Link to="/state/New%20York">New York</Link>)).toBe(
    '<a href="/state/New%20York">New York</a>',
  );
});

test("Link passes anchor attributes through", () => {
  expect(
    renderToStaticMarkup(
      <Link to="/" className="logo" aria-label="Home" rel="home">
        Site
      </Link>,
    ),
  ).toBe('<a href="/" class="logo" aria-label="Home" rel="home">Site</a>');
});
