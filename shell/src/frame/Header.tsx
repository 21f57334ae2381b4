import { JoinButton, Link, useSite, type Layout } from "@colonnade/kit";
import { useEffect, useRef, type MouseEvent, type ReactElement } from "react";

import { JOIN_LABEL } from "./labels";
import { NavigationLinks } from "./NavigationLinks";

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

/** Closes the menu. What had the focus may go with it, so that moves to what brings the menu back. */
function leave(menu: HTMLDetailsElement): void {
  menu.open = false;
  menu.querySelector("summary")?.focus();
}

// Choosing an entry closes the menu, also where the entry is the page that is shown. Submitting the join form is a
// choice, too, and follows from a click; closing the join dialog returns to where the focus is now.
function onClick({ target, currentTarget }: MouseEvent<HTMLDetailsElement>): void {
  if ((target as Element).closest("a, button")) leave(currentTarget);
}

function Menu({ here }: { readonly here: string | undefined }): ReactElement {
  const { navigation, signup } = useSite();
  const details = useRef<HTMLDetailsElement>(null);

  // A disclosure opens and closes without script; script adds what is expected of a menu besides.
  useEffect(() => {
    const menu = details.current;
    if (!menu) return undefined;
    // By the focus, too: the panel must not lie over what a keyboard has reached, nor over the next page.
    const onElsewhere = ({ target }: Event): void => {
      if (!menu.contains(target as Node)) menu.open = false;
    };
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      if (key === "Escape" && menu.open) leave(menu);
    };
    document.addEventListener("pointerdown", onElsewhere);
    document.addEventListener("focusin", onElsewhere);
    document.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("pointerdown", onElsewhere);
      document.removeEventListener("focusin", onElsewhere);
      document.removeEventListener("keydown", onKeyDown);
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
        <NavigationLinks links={navigation.menu} here={here} />
        {signup.host !== null && <JoinButton className="button">{JOIN_LABEL}</JoinButton>}
      </nav>
    </details>
  );
}

/** Props of {@link Header}. */
export interface HeaderProps {
  readonly variant: Layout["header"];
  readonly here: string | undefined;
}

/** The site's header in one of its three variants. */
export function Header({ variant, here }: HeaderProps): ReactElement {
  return (
    <header className="site-header" data-variant={variant}>
      <div className="page">
        <Logo />
        {variant === "menu" && <Menu here={here} />}
      </div>
    </header>
  );
}
