import { Link } from "@colonnade/kit";
import type { ReactElement, ReactNode } from "react";

interface Props {
  /** Path of this page. */
  readonly path: string;
  readonly children: ReactNode;
}

/** Loads the page again, with new results of its queries. The shell ignores links to the page that it shows. */
export function ReloadLink({ path, children }: Props): ReactElement {
  return (
    <Link
      to={path}
      onClick={(event) => {
        event.preventDefault();
        location.reload();
      }}
    >
      {children}
    </Link>
  );
}
