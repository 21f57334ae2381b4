import type { ReactElement } from "react";

import { BOOKS, type BookName } from "./books";
import css from "./books.module.css";

/** The cover of a book. Its title is beside it as text. */
export function Cover({ book }: { readonly book: BookName }): ReactElement {
  return (
    <span className={css.cover} data-book={book} aria-hidden="true">
      {BOOKS[book].title}
    </span>
  );
}
