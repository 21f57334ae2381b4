import type { ReactElement, ReactNode } from "react";

/** Props of {@link Badge}. */
export interface BadgeProps {
  /** Marks what is a sample. */
  readonly sample?: boolean;
  /** What it says, in a word or two. */
  readonly children: ReactNode;
}

/** A small label. */
export function Badge({ sample, children }: BadgeProps): ReactElement {
  return <span className={sample ? "badge sample" : "badge"}>{children}</span>;
}
