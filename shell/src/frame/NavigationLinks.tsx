import { Link, type SiteFacts } from "@colonnade/kit";
import type { ReactElement } from "react";
import { useLocation } from "react-router-dom";

/** Links of the site's navigation. Marked is the one of the page that is shown, or of a page above it. */
export function NavigationLinks({ links }: { readonly links: SiteFacts["navigation"]["menu"] }): ReactElement {
  const { pathname } = useLocation();
  return (
    <ul>
      {links.map(({ label, path }) => (
        <li key={path}>
          <Link to={path} aria-current={path === pathname ? "page" : pathname.startsWith(`${path}/`) || undefined}>
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}
