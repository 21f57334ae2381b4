import type { HeaderVariant } from "@colonnade/design";
import { Link, useSite } from "@colonnade/kit";
import { NavigationLinks } from "@colonnade/shell";
import { useEffect, useRef, type MouseEvent, type ReactElement } from "react";

import { Join } from "./Join";

function Logo(): ReactElement {
  const { brand } = useSite();
  return (
    <Link to="/" className="logo">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M3 9 12 4l9 5v1.5H3zM5 12h2.5v6H5zM16.5 12H19v6h-2.5zM3 19.5h18V21H3zM10.75 12h2.5v6h-2.5z" />
      </svg>
      <span>{brand}</span>
    </Link>
  );
}

/** Closes the menu and moves the focus to its button, since the focused element may be hidden. */
function closeMenu(menu: HTMLDetailsElement): void {
  menu.open = false;
  menu.querySelector("summary")?.focus();
}

// A click on an entry closes the menu, even if it links to the current page. A click on the join button does too, and the
// join dialog returns the focus to the menu's button when it closes.
function onClick({ target, currentTarget }: MouseEvent<HTMLDetailsElement>): void {
  if ((target as Element).closest("a, button")) closeMenu(currentTarget);
}

function Menu({ currentPath }: { readonly currentPath: string | undefined }): ReactElement {
  const { navigation } = useSite();
  const details = useRef<HTMLDetailsElement>(null);

  // <details> opens and closes without script. These listeners add the rest of a menu's behavior.
  useEffect(() => {
    const menu = details.current;
    if (!menu) return undefined;
    const listeners = new AbortController();
    const { signal } = listeners;
    // Also on focus: the panel must not cover the focused element.
    const onOutside = ({ target }: Event): void => {
      if (!menu.contains(target as Node)) menu.open = false;
    };
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      if (key === "Escape" && menu.open) closeMenu(menu);
    };
    document.addEventListener("pointerdown", onOutside, { signal });
    document.addEventListener("focusin", onOutside, { signal });
    document.addEventListener("keydown", onKeyDown, { signal });
    return () => {
      listeners.abort();
    };
  }, []);

  return (
    <details className="menu" ref={details} onClick={onClick}>
      <summary>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M4 6.5h16M4 12h16M4 17.5h16" />
        </svg>
        <span>Menu</span>
      </summary>
      <nav aria-label="Main">
        <NavigationLinks links={navigation.menu} currentPath={currentPath} />
        <Join className="button" />
      </nav>
    </details>
  );
}

interface HeaderProps {
  readonly variant: HeaderVariant;
  readonly currentPath: string | undefined;
}

/** The site's header in one of its three variants. */
export function Header({ variant, currentPath }: HeaderProps): ReactElement {
  return (
    <header className="site-header" data-variant={variant}>
      <div className="page">
        <Logo />
        {variant === "menu" && <Menu currentPath={currentPath} />}
      </div>
    </header>
  );
}
