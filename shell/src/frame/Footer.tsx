import { JoinButton, Link, useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import { JOIN_LABEL } from "./labels";

/** The site's footer: navigation, the invitation, and the page's own last line. */
export function Footer({ note }: { readonly note: string }): ReactElement {
  const { brand, navigation } = useSite();
  return (
    <footer className="site-footer">
      <div className="page site-footer-row">
        <nav aria-label="Footer">
          <ul>
            {navigation.footer.map(({ label, path }) => (
              <li key={path}>
                <Link to={path}>{label}</Link>
              </li>
            ))}
          </ul>
        </nav>
        <JoinButton className="button quiet">{JOIN_LABEL}</JoinButton>
        <p className="site-footer-note">
          <span>{brand}</span>
          <span>{note}</span>
        </p>
      </div>
    </footer>
  );
}
