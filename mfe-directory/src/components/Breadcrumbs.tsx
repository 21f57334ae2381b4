import { Link, type Breadcrumb } from "@colonnade/kit";
import type { ReactElement } from "react";

import css from "./Breadcrumbs.module.css";

/** The way from the home page to this one, which comes last and is no link. */
export function Breadcrumbs({ trail }: { readonly trail: readonly Breadcrumb[] }): ReactElement {
  const current = trail.at(-1);
  return (
    <nav aria-label="Breadcrumb" className={css.trail}>
      <ol>
        {trail.map((crumb) => (
          <li key={crumb.path}>
            {crumb === current ? (
              <span aria-current="page">{crumb.label}</span>
            ) : (
              <Link to={crumb.path}>{crumb.label}</Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
