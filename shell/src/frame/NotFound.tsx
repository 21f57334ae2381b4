import { Button } from "@colonnade/design";
import { Link, useSite } from "@colonnade/kit";
import { ExtensionPoint } from "@colonnade/kit/extensions";
import type { ReactElement } from "react";

import { search } from "../points";
import { Message } from "./Message";

/** The not-found page. */
export function NotFound({ heading }: { readonly heading: string }): ReactElement {
  const { navigation } = useSite();
  return (
    <Message
      heading={heading}
      text="There’s nothing at this address. It may have moved, or the link may have a mistake in it."
    >
      <div className="search-place">
        <ExtensionPoint point={search} props={{}} />
      </div>
      <p className="message-ways">
        <Button to="/">Return to home</Button>
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
