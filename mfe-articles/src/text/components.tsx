import { anchorOf, TEXT_COMPONENTS as COMMON } from "@colonnade/kit/text";
import type { ReactElement, ReactNode } from "react";

import css from "./text.module.css";

/** A table that scrolls by itself where the screen is too narrow for it. */
function Table({ children }: { readonly children?: ReactNode }): ReactElement {
  return (
    <div className={css.scroll}>
      <table>{children}</table>
    </div>
  );
}

/** A heading that can be linked to. */
function Heading({ children }: { readonly children?: ReactNode }): ReactElement {
  return <h2 id={anchorOf(children)}>{children}</h2>;
}

/** What Markdown's elements become. */
export const TEXT_COMPONENTS = { ...COMMON, table: Table, h2: Heading } as const;
