// A separate module: most pages with external links do not use site facts.
import type { AnchorHTMLAttributes, ReactElement } from "react";

/**
 * A Markdown link. An external link (http or https) gets `rel="noopener noreferrer external"`. If its text contains its
 * URL, it also gets `data-url-visible`, so that the print stylesheet does not repeat the URL.
 */
export function TextLink(props: AnchorHTMLAttributes<HTMLAnchorElement>): ReactElement {
  const { href = "", children } = props;
  const address = /^https?:\/\/(www\.)?(.+?)\/?$/.exec(href);
  const external = address && {
    rel: "noopener noreferrer external",
    "data-url-visible": address.includes(children as string) || undefined,
  };
  return <a {...props} {...external} />;
}
