import { Button, Card } from "@colonnade/design";
import type { ReactElement } from "react";

import css from "./EmptyState.module.css";

interface Props {
  readonly title: string;
  readonly text: string;
  /** The link to where there is more. */
  readonly link: { readonly to: string; readonly label: string };
}

/** Replaces an empty list. */
export function EmptyState({ title, text, link }: Props): ReactElement {
  return (
    <Card className={css.empty}>
      <h2>{title}</h2>
      <p>{text}</p>
      <p>
        <Button to={link.to} quiet>
          {link.label}
        </Button>
      </p>
    </Card>
  );
}
