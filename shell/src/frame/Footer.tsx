import { useSite } from "@colonnade/kit";
import { NavigationLinks } from "@colonnade/shell";
import type { ReactElement } from "react";

import { Join } from "./Join";

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
        <Join className="button quiet" />
        <p data-address={currentPath && site.origin + currentPath}>
          <span>{site.brand}</span>
          <span>{note}</span>
        </p>
      </div>
    </footer>
  );
}
