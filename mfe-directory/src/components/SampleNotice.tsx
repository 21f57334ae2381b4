import { Notice } from "@colonnade/design";
import type { ReactElement } from "react";

import { sampleNotice, type Evidence } from "../text/wording";

interface Props {
  readonly evidence: Evidence;
}

/** Says that ads are samples. Renders nothing without samples. */
export function SampleNotice({ evidence }: Props): ReactElement | null {
  const notice = sampleNotice(evidence);
  if (notice === null) return null;
  return (
    <Notice>
      <p>{notice}</p>
    </Notice>
  );
}
