import { Button } from "@colonnade/design";
import { Link, useSite, type NotFound as NotFoundProps } from "@colonnade/kit";
import { ExtensionPoint } from "@colonnade/kit/extensions";
import type { ReactElement } from "react";

import { search } from "../points";
import { Message } from "./messages";

/** The not-found page. */
export function NotFound({ heading, text, link }: NotFoundProps): ReactElement {
  const { navigation } = useSite();
  return (
    <Message
      heading={heading}
      text={text ?? "There’s nothing at this address. It may have moved, or the link may have a mistake in it."}
    >
      <div className="search-place">
        <ExtensionPoint point={search} props={{}} />
      </div>
      <p className="message-ways">
        <Button to="/">Return to home</Button>
        {link && <Link to={link.path}>{link.label}</Link>}
        {/* In place of the search. */}
        <noscript>
          <a href="/#states">Browse by state</a>
        </noscript>
        {navigation.menu.map(
          ({ label, path }) =>
            path !== "/" && (
              <Link key={path} to={path}>
                {label}
              </Link>
            ),
        )}
      </p>
    </Message>
  );
}
