import type { ReactElement } from "react";

import { Link, type Breadcrumb } from "@colonnade/kit";

/** Props of {@link Breadcrumbs}. */
export interface BreadcrumbsProps {
  /** Trail from the home page to the current page, which comes last; the same as `breadcrumbs` of the page's head. */
  readonly trail: readonly Breadcrumb[];
}

/** Links from the home page to the current page, which is plain text. */
export function Breadcrumbs({ trail }: BreadcrumbsProps): ReactElement {
  const current = trail.at(-1);
  return (
    <nav aria-label="Breadcrumb" className="breadcrumbs">
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
