import type { ReactElement, ReactNode } from "react";

/** Props of {@link Badge}. */
export interface BadgeProps {
  /** Marks a sample. */
  readonly sample?: boolean;
  /** Label of one or two words. */
  readonly children: ReactNode;
}

/** A small label. */
export function Badge({ sample, children }: BadgeProps): ReactElement {
  return <span className={sample ? "badge sample" : "badge"}>{children}</span>;
}
