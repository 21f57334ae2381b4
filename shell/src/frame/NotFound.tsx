import { Button, Link, useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import { Message } from "./Message";

/** The not-found page. */
export function NotFound({ heading }: { readonly heading: string }): ReactElement {
  const { navigation } = useSite();
  return (
    <Message
      heading={heading}
      text="There is nothing at this address. It may have moved, or the link may have a mistake in it."
    >
      <p className="message-ways">
        <Button to="/">Return to home</Button>
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
