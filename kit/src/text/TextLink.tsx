// In a module of its own: most pages that link to elsewhere need nothing of a text's facts.
import type { AnchorHTMLAttributes, ReactElement } from "react";

/**
 * A link of the text: within the site a plain anchor, which the shell follows; to elsewhere it says so. One whose words
 * are its address is marked: paper has no need of it twice.
 */
export function TextLink(props: AnchorHTMLAttributes<HTMLAnchorElement>): ReactElement {
  const { href = "", children } = props;
  const address = /^https?:\/\/(www\.)?(.+?)\/?$/.exec(href);
  const external = address && {
    rel: "noopener noreferrer external",
    "data-spoken": address.includes(children as string) || undefined,
  };
  return <a {...props} {...external} />;
}
