import { Button } from "@colonnade/design";
import type { ReactElement } from "react";

import { listPath, type ListAddress } from "../paths";
import css from "./Pagination.module.css";

interface Props {
  readonly address: Omit<ListAddress, "page">;
  readonly page: number;
  readonly pages: number;
}

/** Links to the pages before and after this one. */
export function Pagination({ address, page, pages }: Props): ReactElement | null {
  if (pages <= 1) return null;
  return (
    <nav aria-label="Pages" className={css.pages}>
      <span>
        {page > 1 && (
          <Button to={listPath({ ...address, page: page - 1 })} rel="prev" quiet>
            ← Earlier
          </Button>
        )}
      </span>
      <p>{`Page ${String(page)} of ${String(pages)}`}</p>
      <span>
        {page < pages && (
          <Button to={listPath({ ...address, page: page + 1 })} rel="next" quiet>
            Later →
          </Button>
        )}
      </span>
    </nav>
  );
}
