import { Notice } from "@colonnade/kit";
import type { ReactElement, ReactNode } from "react";

import { sampleNotice, type Evidence } from "../text/wording";

interface Props {
  readonly evidence: Evidence;
  /** More text about the samples. */
  readonly children?: ReactNode;
}

/** Says that listings are samples. Renders nothing without samples. */
export function SampleNotice({ evidence, children }: Props): ReactElement | null {
  const notice = sampleNotice(evidence);
  if (notice === null) return null;
  return (
    <Notice>
      <p>{notice}</p>
      {children}
    </Notice>
  );
}
