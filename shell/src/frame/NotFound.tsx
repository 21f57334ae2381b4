import { Button, Link, useSite } from "@colonnade/kit";
import type { ReactElement, ReactNode } from "react";

import { Message } from "./Message";

interface NotFoundProps {
  readonly heading: string;
  /** The search. */
  readonly children?: ReactNode;
}

/** The not-found page. */
export function NotFound({ heading, children }: NotFoundProps): ReactElement {
  const { navigation } = useSite();
  return (
    <Message
      heading={heading}
      text="There’s nothing at this address. It may have moved, or the link may have a mistake in it."
    >
      {children}
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
