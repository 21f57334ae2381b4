import { JoinButton, Link, useSite, type Layout } from "@colonnade/kit";
import { useEffect, useRef, type ReactElement } from "react";

import { JOIN_LABEL } from "./labels";

function Logo(): ReactElement {
  const { brand } = useSite();
  return (
    <Link to="/" className="logo">
      <svg className="logo-mark" viewBox="0 0 24 24" aria-hidden="true">
        <path d="M3 9 12 4l9 5v1.5H3zM5 12h2.5v6H5zm5.75 0h2.5v6h-2.5zM16.5 12H19v6h-2.5zM3 19.5h18V21H3z" />
      </svg>
      <span>{brand}</span>
    </Link>
  );
}

function Menu(): ReactElement {
  const { navigation } = useSite();
  const details = useRef<HTMLDetailsElement>(null);

  // A disclosure opens and closes without script; script adds what is expected of a menu besides.
  useEffect(() => {
    const close = (): void => {
      if (details.current) details.current.open = false;
    };
    // By the focus, too: the panel must not lie over what a keyboard has reached, nor over the next page.
    const onElsewhere = (event: Event): void => {
      if (event.target instanceof Node && !details.current?.contains(event.target)) close();
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || !details.current?.open) return;
      close();
      details.current.querySelector("summary")?.focus();
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

  // Choosing an entry closes the menu, also where the entry is the page that is shown. Submitting the
  // join form is a choice, too, and follows from a click. The entry goes away with the menu, so the focus
  // moves to what brings it back: that is where closing the join dialog returns to.
  const onClick = (event: React.MouseEvent): void => {
    if (!(event.target instanceof Element && event.target.closest("a, button") && details.current)) return;
    details.current.open = false;
    details.current.querySelector("summary")?.focus();
  };

  return (
    <details className="menu" ref={details}>
      <summary className="menu-toggle">
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M4 6.5h16M4 12h16M4 17.5h16" />
        </svg>
        <span>Menu</span>
      </summary>
      <nav className="menu-panel" aria-label="Main" onClick={onClick}>
        <ul>
          {navigation.menu.map(({ label, path }) => (
            <li key={path}>
              <Link to={path}>{label}</Link>
            </li>
          ))}
        </ul>
        <JoinButton className="button">{JOIN_LABEL}</JoinButton>
      </nav>
    </details>
  );
}

/** The site's header in one of its three variants. */
export function Header({ variant }: { readonly variant: Layout["header"] }): ReactElement {
  return (
    <header className="site-header" data-variant={variant}>
      <div className="page site-header-row">
        <Logo />
        {variant === "menu" && <Menu />}
      </div>
    </header>
  );
}
