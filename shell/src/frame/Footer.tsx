import { JoinButton, useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import { JOIN_LABEL } from "./labels";
import { NavigationLinks } from "./NavigationLinks";

/** The site's footer: navigation, the invitation, and the page's own last line. */
export function Footer({ note, here }: { readonly note: string; readonly here: string | undefined }): ReactElement {
  const { brand, navigation, signup } = useSite();
  return (
    <footer className="site-footer">
      <div className="page">
        <nav aria-label="Footer">
          <NavigationLinks links={navigation.footer} here={here} />
        </nav>
        {/* Nobody is invited to a sign-up that does not exist. */}
        {signup.host !== null && <JoinButton className="button quiet">{JOIN_LABEL}</JoinButton>}
        <p>
          <span>{brand}</span>
          <span>{note}</span>
        </p>
      </div>
    </footer>
  );
}
