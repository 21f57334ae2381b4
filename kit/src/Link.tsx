import type { AnchorHTMLAttributes, ReactElement } from "react";

/** Props of {@link Link}: those of an anchor, with `to` in place of `href`. */
export interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  /** Path on this site, percent-encoded; {@link pathTo} makes one from a pattern and its params. */
  readonly to: string;
}

/**
 * A link to a page of this site. It is a plain anchor: the shell follows every same-origin link in the
 * page by itself, so links in Markdown work alike, and long lists of links cost no handlers.
 */
export function Link({ to, ...rest }: LinkProps): ReactElement {
  return <a href={to} {...rest} />;
}
