import { Notice } from "@colonnade/design";
import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

interface Props {
  /** What is unavailable, at the start of a sentence. */
  readonly what: string;
  /** Path of this page. A link to it runs the queries again. */
  readonly path: string;
}

/** Replaces the result of a failed query. */
export function Unavailable({ what, path }: Props): ReactElement {
  return (
    <Notice kind="error" title={`${what} right now`}>
      <p>The rest of the site works. Please try again in a moment.</p>
      <p>
        <Link to={path}>Try again</Link>
      </p>
    </Notice>
  );
}
