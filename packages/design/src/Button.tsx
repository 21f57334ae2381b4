import type { AnchorHTMLAttributes, ButtonHTMLAttributes, MouseEvent, ReactElement } from "react";

import { Link } from "@colonnade/kit";
import { classes } from "./classes.js";

/** Style props of {@link Button}. */
export interface ButtonStyleProps {
  /** Secondary style, for actions other than the page's main one. */
  readonly quiet?: boolean;
}

/** Props of a {@link Button} that performs an action: those of a button. `type` defaults to `button`. */
export interface ActionButtonProps extends ButtonStyleProps, ButtonHTMLAttributes<HTMLButtonElement> {
  /** Not allowed; see {@link LinkButtonProps}. */
  readonly to?: never;
  /** The action is in progress: the button keeps focus and ignores clicks. */
  readonly busy?: boolean;
}

/** Props of a {@link Button} that renders a link: those of an anchor, with `to` instead of `href`. */
export interface LinkButtonProps extends ButtonStyleProps, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  /** Path on this site, percent-encoded, or a fragment (`#states`). */
  readonly to: string;
}

/** Props of {@link Button}. */
export type ButtonProps = ActionButtonProps | LinkButtonProps;

function preventClick(event: MouseEvent): void {
  event.preventDefault();
}

/** A button, or with `to` a link styled as a button. To open the join dialog, use {@link JoinButton}. */
export function Button({ quiet, className, ...rest }: ButtonProps): ReactElement {
  const buttonClass = classes("button", quiet && "quiet", className);
  if (rest.to !== undefined) return <Link {...rest} className={buttonClass} />;
  const { busy, ...props } = rest;
  return (
    <button
      type="button"
      {...props}
      className={buttonClass}
      {...(busy && { "aria-busy": true, "aria-disabled": true, onClick: preventClick })}
    />
  );
}
