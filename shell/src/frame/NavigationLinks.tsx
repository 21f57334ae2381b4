import { Link, type SiteFacts } from "@colonnade/kit";
import type { ReactElement } from "react";

/** Props of {@link NavigationLinks}. */
export interface NavigationLinksProps {
  readonly links: SiteFacts["navigation"]["menu"];
  /** The path of the page that is shown. One that does not exist has none: all of them share one document. */
  readonly here: string | undefined;
}

/** Links of the site's navigation. Marked is the one of the page that is shown, or of a page above it. */
export function NavigationLinks({ links, here }: NavigationLinksProps): ReactElement {
  return (
    <ul>
      {links.map(({ label, path }) => (
        <li key={path}>
          <Link to={path} aria-current={path === here ? "page" : here?.startsWith(`${path}/`) ? true : undefined}>
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}
