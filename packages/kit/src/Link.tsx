import type { AnchorHTMLAttributes, ReactElement } from "react";

/** Props of {@link Link}: those of an anchor, with `to` instead of `href`. */
export interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  /** Path on this site, percent-encoded. {@link pathTo} builds one from a pattern and its params. For query parameters, see `defineSearch` of `@colonnade/kit/search`. */
  readonly to: string;
}

/**
 * A link to a page of this site. It renders a plain anchor: the shell intercepts clicks on all same-origin links at the
 * document, including links in Markdown, so a link needs no event handler.
 *
 * @example
 * ```tsx
 * import { Link, pathTo } from "@colonnade/kit";
 *
 * export const Event = ({ id }: { id: string }) => <Link to={pathTo("/events/:id", { id })}>The event</Link>;
 * ```
 */
export function Link({ to, ...rest }: LinkProps): ReactElement {
  return <a href={to} {...rest} />;
}
