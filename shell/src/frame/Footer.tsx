import { JoinButton, signupOf } from "@colonnade/design";
import { useSite } from "@colonnade/kit";
import { NavigationLinks } from "@colonnade/shell";
import type { ReactElement } from "react";

import { JOIN_LABEL } from "./labels";

interface FooterProps {
  /** The page's own last line. */
  readonly note: string;
  readonly currentPath: string | undefined;
}

/** The site's footer: navigation, join button, brand and note. */
export function Footer({ note, currentPath }: FooterProps): ReactElement {
  const site = useSite();
  return (
    <footer className="site-footer">
      <div className="page">
        <nav aria-label="Footer">
          <NavigationLinks links={site.navigation.footer} currentPath={currentPath} />
        </nav>
        {/* Without a sign-up backend there is nothing to join. */}
        {signupOf(site).host !== null && <JoinButton className="button quiet">{JOIN_LABEL}</JoinButton>}
        <p>
          <span>{site.brand}</span>
          <span>{note}</span>
        </p>
      </div>
    </footer>
  );
}
