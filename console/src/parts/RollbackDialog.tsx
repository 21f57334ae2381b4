import { Notice } from "@colonnade/design";
import { useEffect, useState, type ReactElement } from "react";

import { call, textOf } from "../api.js";
import type { RollbackPreview } from "../openapi.js";
import { ActionDialog } from "./ActionDialog.js";
import { Changes } from "./Changes.js";

/** What a rollback restores: a section's previous release, a deployment, or the previous set. */
export interface RollbackTarget {
  readonly section?: string;
  readonly deployment?: number;
}

interface RollbackDialogProps {
  readonly target: RollbackTarget;
  readonly close: () => void;
}

/** Shows what a rollback changes, and makes it if the live deployment is still the same. */
export function RollbackDialog({ target, close }: RollbackDialogProps): ReactElement {
  const [plan, setPlan] = useState<RollbackPreview>();
  const [error, setError] = useState<string>();
  const { section, deployment } = target;
  useEffect(() => {
    const controller = new AbortController();
    const body = { ...(section !== undefined && { section }), ...(deployment !== undefined && { deployment }) };
    call<RollbackPreview>("POST", "/rollback/plan", { body, signal: controller.signal }).then(
      setPlan,
      (failure: unknown) => {
        if (!controller.signal.aborted) setError(textOf(failure));
      },
    );
    return () => {
      controller.abort();
    };
  }, [section, deployment]);

  const isEmpty = plan !== undefined && Object.keys(plan.sections).length === 0;
  const what = section ?? "the whole site";
  return (
    <ActionDialog
      heading={`Roll back ${what}`}
      action="Roll back now"
      ready={plan !== undefined && !isEmpty}
      close={close}
      act={(reason) =>
        call("POST", "/rollback", { body: { ...target, base: plan?.live, ...(reason !== "" && { reason }) } })
      }
    >
      <section aria-label="What changes" aria-busy={!plan && error === undefined}>
        {error !== undefined && (
          <Notice kind="error" role="alert" title="The rollback is not possible">
            <p>{error}</p>
          </Notice>
        )}
        {!plan && error === undefined && <p role="status">Reading what would change…</p>}
        {isEmpty && <p>Nothing would change.</p>}
        {plan && !isEmpty && (
          <>
            <p>
              {`For every visitor, at once${plan.restores === null ? "" : `, as in deployment ${String(plan.restores)}`}:`}
            </p>
            <Changes sections={plan.sections} />
            {section === undefined && <p className="muted">All running rollouts end.</p>}
          </>
        )}
      </section>
    </ActionDialog>
  );
}
