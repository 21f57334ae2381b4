import { definePage, Link, pathTo } from "@colonnade/kit";

import { BOOKS, type BookName } from "../books";
import css from "../books.module.css";
import { Cover } from "../Cover";

export const page = definePage({
  data: () => null,
  paths: () => ["/"],
  head: ({ site }) => ({ title: site.brand, description: "Neue Bücher und ein Platz zum Lesen.", canonical: "/" }),
  Component: () => (
    <>
      <h1>Neu auf unserem Tisch</h1>
      <p>Vier Bücher, die wir gerade gern empfehlen. Bestellen Sie im Laden, oder schreiben Sie uns.</p>
      <ul className={css.list}>
        {(Object.keys(BOOKS) as BookName[]).map((book) => (
          <li key={book}>
            <Link to={pathTo("/buecher/:book", { book })}>
              <Cover book={book} />
              <b>{BOOKS[book].title}</b>
            </Link>
            <p>{BOOKS[book].author}</p>
            <p>{BOOKS[book].price}</p>
          </li>
        ))}
      </ul>
    </>
  ),
});
