import { Notice } from "@colonnade/kit";
import type { ReactElement } from "react";

import { ReloadLink } from "./ReloadLink";

interface Props {
  /** What is unavailable, at the start of a sentence. */
  readonly what: string;
  /** Path of this page. */
  readonly path: string;
}

/** In place of the result of a query that failed. */
export function Unavailable({ what, path }: Props): ReactElement {
  return (
    <Notice kind="error" title={`${what} right now`}>
      <p>The rest of the site works. Please try again in a moment.</p>
      <p>
        <ReloadLink path={path}>Try again</ReloadLink>
      </p>
    </Notice>
  );
}
