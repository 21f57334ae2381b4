import type { ReactElement } from "react";

import { Link } from "../Link.js";
import type { Breadcrumb } from "../page.js";

/** Props of {@link Breadcrumbs}. */
export interface BreadcrumbsProps {
  /** The trail as a page's head has it: from the home page to this one, which comes last. */
  readonly trail: readonly Breadcrumb[];
}

/** The way from the home page to this one, which is no link. */
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
