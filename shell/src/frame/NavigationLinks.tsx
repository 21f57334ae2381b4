import { Link, type Site } from "@colonnade/kit";
import type { ReactElement } from "react";

interface NavigationLinksProps {
  readonly links: Site["navigation"]["menu"];
  /** Path of the current page. Undefined if it does not exist: all unknown paths share one document. */
  readonly currentPath: string | undefined;
}

/** Navigation links. `aria-current` marks the link to the current page or to a page above it. */
export function NavigationLinks({ links, currentPath }: NavigationLinksProps): ReactElement {
  return (
    <ul>
      {links.map(({ label, path }) => (
        <li key={path}>
          <Link
            to={path}
            aria-current={path === currentPath ? "page" : currentPath?.startsWith(`${path}/`) ? true : undefined}
          >
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}
