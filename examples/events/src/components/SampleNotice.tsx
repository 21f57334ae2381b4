import { Notice } from "@colonnade/design";
import type { ReactElement } from "react";

/** States that the events are samples. */
export function SampleNotice(): ReactElement {
  return (
    <Notice>
      <p>All events and venues here are samples. None of them takes place.</p>
    </Notice>
  );
}
