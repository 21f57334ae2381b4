import type { ReactElement } from "react";

import { call } from "../api.js";
import type { ChangeResult, RollbackPreview } from "../openapi.js";
import { ActionDialog } from "./ActionDialog.js";
import { isChange, Plan } from "./Plan.js";
import { usePlan } from "./usePlan.js";

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
  const { section, deployment } = target;
  const plan = usePlan<RollbackPreview>("/rollback/plan", target);
  const to = deployment === undefined ? "" : ` to deployment ${String(deployment)}`;
  return (
    <ActionDialog
      heading={`Roll back ${section ?? "the whole site"}${to}`}
      action="Roll back now"
      ready={isChange(plan)}
      close={close}
      act={(reason) =>
        call<ChangeResult>("POST", "/rollback", {
          body: { ...target, base: plan.value?.live, ...(reason !== "" && { reason }) },
        })
      }
      done={({ number, warnings }) => ({
        text: `Rolled back ${section ?? "the whole site"}: deployment ${String(number)} is live.`,
        warnings,
      })}
    >
      <Plan plan={plan} name="rollback">
        {({ restores }) =>
          `For every visitor, at once${restores === null ? "" : `, as in deployment ${String(restores)}`}:`
        }
      </Plan>
      {section === undefined && isChange(plan) && <p className="muted">All running rollouts end.</p>}
    </ActionDialog>
  );
}
