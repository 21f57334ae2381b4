import { Button } from "@colonnade/design";
import { Link, useSite } from "@colonnade/kit";
import { Slot } from "@colonnade/shell";
import type { ReactElement } from "react";

import { Message } from "./Message";

/** The not-found page. */
export function NotFound({ heading }: { readonly heading: string }): ReactElement {
  const { navigation } = useSite();
  return (
    <Message
      heading={heading}
      text="There’s nothing at this address. It may have moved, or the link may have a mistake in it."
    >
      <Slot name="search" className="search-slot" />
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
