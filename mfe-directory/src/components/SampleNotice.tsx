import { Notice } from "@colonnade/kit";
import type { ReactElement, ReactNode } from "react";

import { sampleLine, type Evidence } from "../text/wording";

interface Props {
  readonly evidence: Evidence;
  /** What else the page has to say of its samples. */
  readonly children?: ReactNode;
}

/** Says that listings are samples, where any are. */
export function SampleNotice({ evidence, children }: Props): ReactElement | null {
  const line = sampleLine(evidence);
  if (line === null) return null;
  return (
    <Notice>
      <p>{line}</p>
      {children}
    </Notice>
  );
}
