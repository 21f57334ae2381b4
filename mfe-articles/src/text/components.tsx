import { useSite } from "@colonnade/kit";
import type { AnchorHTMLAttributes, ReactElement, ReactNode } from "react";

import { factOf } from "./facts";
import css from "./text.module.css";

/** A fact of the site where the text names one in braces. The contact address can be written to. */
function SiteFact({ name }: { readonly name: string }): ReactElement {
  const fact = factOf(name, useSite());
  return name === "contact" ? <a href={`mailto:${fact}`}>{fact}</a> : <>{fact}</>;
}

/** A link of the text: within the site a plain anchor, which the shell follows; to elsewhere it says so. */
export function TextLink(props: AnchorHTMLAttributes<HTMLAnchorElement>): ReactElement {
  const external = /^https?:/.test(props.href ?? "");
  return <a {...props} {...(external && { rel: "noopener noreferrer external" })} />;
}

/** A table that scrolls by itself where the screen is too narrow for it. */
function Table({ children }: { readonly children?: ReactNode }): ReactElement {
  return (
    <div className={css.scroll}>
      <table>{children}</table>
    </div>
  );
}

/** What Markdown's elements become. */
export const TEXT_COMPONENTS = { a: TextLink, table: Table, "site-fact": SiteFact } as const;
