import type { AnchorHTMLAttributes, ButtonHTMLAttributes, MouseEvent, ReactElement } from "react";

import { Link } from "../Link.js";
import { classes } from "./classes.js";

/** How a {@link Button} looks. */
export interface ButtonLook {
  /** The secondary kind, for what is not the page's main purpose. */
  readonly quiet?: boolean;
}

/** Props of a {@link Button} that does something: those of a button. Its type is `button` unless told otherwise. */
export interface ActionButtonProps extends ButtonLook, ButtonHTMLAttributes<HTMLButtonElement> {
  /** No link: see {@link LinkButtonProps}. */
  readonly to?: never;
  /** What was asked for is under way: the button keeps the focus, and does nothing meanwhile. */
  readonly busy?: boolean;
}

/** Props of a {@link Button} that is a link: those of an anchor, with `to` in place of `href`. */
export interface LinkButtonProps extends ButtonLook, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  /** Path on this site, percent-encoded, or a place on the page (`#states`). */
  readonly to: string;
}

/** Props of {@link Button}. */
export type ButtonProps = ActionButtonProps | LinkButtonProps;

function refuse(event: MouseEvent): void {
  event.preventDefault();
}

/** A button, or with `to` a link that looks like one. {@link JoinButton} is the one that opens the join dialog. */
export function Button({ quiet, className, ...rest }: ButtonProps): ReactElement {
  const look = classes("button", quiet && "quiet", className);
  if (rest.to !== undefined) return <Link {...rest} className={look} />;
  const { busy, ...props } = rest;
  return (
    <button
      type="button"
      {...props}
      className={look}
      {...(busy && { "aria-busy": true, "aria-disabled": true, onClick: refuse })}
    />
  );
}
