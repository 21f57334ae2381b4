import { Button } from "@colonnade/kit";
import type { ReactElement } from "react";

/** The site's page for what does not exist. */
export function NotFound({ heading }: { readonly heading: string }): ReactElement {
  return (
    <div className="page message">
      <h1>{heading}</h1>
      <p>There is nothing at this address. It may have moved, or the link may have a mistake in it.</p>
      <Button to="/">Return to home</Button>
    </div>
  );
}
