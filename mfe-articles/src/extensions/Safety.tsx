import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import { TITLES } from "../articles";
import { articlePath } from "../routes";
import css from "./safety.module.css";

const LABEL = "Before you meet anyone";

/** Links to what helps before and after meeting a stranger. */
export function Safety(): ReactElement {
  const guide = articlePath("safety-guide");
  return (
    <nav className={css.safety} aria-label={LABEL}>
      <p aria-hidden="true">{LABEL}:</p>
      <ul>
        <li>
          <Link to={guide}>{TITLES["safety-guide"]}</Link>
        </li>
        <li>
          <Link to={articlePath("red-flags")}>{TITLES["red-flags"]}</Link>
        </li>
        <li>
          <Link to={`${guide}#get-help`}>Get help</Link>
        </li>
      </ul>
    </nav>
  );
}
