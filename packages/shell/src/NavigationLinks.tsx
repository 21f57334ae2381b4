import { Link, type NavigationLink } from "@colonnade/kit";
import type { ReactElement } from "react";

/** Props of {@link NavigationLinks}. */
export interface NavigationLinksProps {
  /** The links, such as those of `useSite().navigation.menu`. */
  readonly links: readonly NavigationLink[];
  /** Path of the current page, as in the props of a frame. */
  readonly currentPath: string | undefined;
}

/**
 * A list of links. `aria-current` marks the link to the current page or to a page above it.
 *
 * @example
 * ```tsx
 * import { useSite } from "@colonnade/kit";
 * import { NavigationLinks } from "@colonnade/shell";
 *
 * export const Menu = ({ currentPath }: { currentPath: string | undefined }) => (
 *   <nav aria-label="Menu">
 *     <NavigationLinks links={useSite().navigation.menu} currentPath={currentPath} />
 *   </nav>
 * );
 * ```
 */
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
