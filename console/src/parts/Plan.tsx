import { Notice } from "@colonnade/design";
import type { ReactElement, ReactNode } from "react";

import type { Read } from "../data.js";
import { Message } from "./Message.js";
import type { Change } from "../openapi.js";
import { Changes } from "./Changes.js";

/** What the plans of all changes have. */
interface PlannedChange {
  readonly sections: Change["sections"];
}

interface PlanProps<P extends PlannedChange> {
  readonly plan: Read<P>;
  /** The change, as in `The rollback is not possible`. */
  readonly name: string;
  /** For whom the sections change. */
  readonly children: (plan: P) => ReactNode;
}

/** Whether a plan changes something. */
export function isChange({ value }: Read<PlannedChange>): boolean {
  return value !== undefined && Object.keys(value.sections).length > 0;
}

/** What a change would do, or why it is not possible. */
export function Plan<P extends PlannedChange>({ plan, name, children }: PlanProps<P>): ReactElement {
  const { value, error } = plan;
  return (
    <section aria-label="What changes" aria-busy={!value && error === undefined} className="plan">
      {error !== undefined && (
        <Notice kind="error" role="alert" title={`The ${name} is not possible`}>
          <p>
            <Message>{error}</Message>
          </p>
        </Notice>
      )}
      {!value && error === undefined && <p role="status">Reading what would change…</p>}
      {value && !isChange(plan) && <p>Nothing would change.</p>}
      {value && isChange(plan) && (
        <>
          <p>{children(value)}</p>
          <Changes sections={value.sections} />
        </>
      )}
    </section>
  );
}
