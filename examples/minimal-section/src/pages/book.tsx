import { definePage, Link, notFound, useConfig } from "@colonnade/kit";
import type { ReactElement } from "react";

import { BOOKS, type BookName } from "../books";
import css from "../books.module.css";
import { Cover } from "../Cover";
import type { Config } from "../settings";

function Pickup(): ReactElement {
  return <p>Abholbereit in {useConfig<Config>().pickupDays} Tagen.</p>;
}

export const page = definePage({
  data: ({ params: { book = "" } }) =>
    Object.hasOwn(BOOKS, book) ? (book as BookName) : notFound("Dieses Buch führen wir nicht"),
  paths: () => Object.keys(BOOKS).map((book) => `/buecher/${book}`),
  head: ({ data, site }) => ({
    title: `${BOOKS[data].title} - ${site.brand}`,
    description: BOOKS[data].about,
    canonical: `/buecher/${data}`,
  }),
  Component: ({ data }) => (
    <article className={css.book}>
      <Cover book={data} />
      <div>
        <h1>{BOOKS[data].title}</h1>
        <p>
          {BOOKS[data].author} · {BOOKS[data].price}
        </p>
        <p>{BOOKS[data].about}</p>
        <Pickup />
        <Link to="/">Alle Bücher</Link>
      </div>
    </article>
  ),
});
