import { Badge, Button, Card } from "@colonnade/design";
import { useState, type ReactElement } from "react";

import { call } from "../api.js";
import { DEPLOYMENTS, useConsole, useRead } from "../data.js";
import { countOf } from "../format.js";
import { deploymentHref, hrefOf, useQueryParameter } from "../router.js";
import { ActionDialog } from "../parts/ActionDialog.js";
import { Ago } from "../parts/Ago.js";
import { changedBy } from "../parts/changedBy.js";
import { Reason } from "../parts/ChangeList.js";
import { Changes } from "../parts/Changes.js";
import { PreviewDialog } from "../parts/PreviewDialog.js";
import { RollbackDialog } from "../parts/RollbackDialog.js";
import { Table } from "../parts/Table.js";
import { Unreadable } from "../parts/Message.js";
import type { Deployment, DeploymentList } from "../openapi.js";

/** What an operator does with a deployment. */
interface Action {
  readonly kind: "preview" | "rollback";
  readonly deployment: number;
}

/** A page of the retained deployments, which can be previewed and restored, and the end of all previews. */
export function Deployments(): ReactElement {
  const { deployments, can } = useConsole();
  const before = Number.parseInt(useQueryParameter("before"), 10);
  const [action, setAction] = useState<Action | null>(null);
  const [ending, setEnding] = useState(false);
  const close = (): void => {
    setAction(null);
    setEnding(false);
  };
  const isNewest = Number.isNaN(before);
  return (
    <section aria-label="Retained" className="panel">
      <p className="muted">A preview is a signed link. Anyone who has it sees the deployment until the link expires.</p>
      {can("preview", "*") && (
        <p>
          <Button
            quiet
            className="small"
            onClick={() => {
              setEnding(true);
            }}
          >
            End all previews
          </Button>
        </p>
      )}
      {isNewest ? (
        <DeploymentPage page={deployments} act={setAction} />
      ) : (
        <OlderDeployments before={before} act={setAction} />
      )}
      {action?.kind === "preview" && <PreviewDialog deployment={action.deployment} close={close} />}
      {action?.kind === "rollback" && <RollbackDialog target={{ deployment: action.deployment }} close={close} />}
      {ending && <EndPreviews close={close} />}
    </section>
  );
}

interface OlderDeploymentsProps {
  readonly before: number;
  readonly act: (action: Action) => void;
}

function OlderDeployments({ before, act }: OlderDeploymentsProps): ReactElement {
  const { deployments } = useConsole();
  const path = `/deployments?limit=${String(DEPLOYMENTS)}&before=${String(before)}`;
  const { value, error } = useRead<DeploymentList>(path, deployments);
  return (
    <>
      <p>
        <a href={hrefOf("deployments")}>Newest deployments</a>
      </p>
      <Unreadable what="deployments" error={error} />
      {value ? <DeploymentPage page={value} act={act} /> : error === undefined && <p role="status">Reading…</p>}
    </>
  );
}

interface DeploymentPageProps {
  readonly page: DeploymentList;
  readonly act: (action: Action) => void;
}

function DeploymentPage({ page, act }: DeploymentPageProps): ReactElement {
  const { deployments, rollouts } = useConsole();
  const candidates = new Set(rollouts.map(({ deployment }) => deployment));
  const stateOf = ({ number, preview: isPreview }: Deployment): string | null => {
    if (number === deployments.live) return "live";
    if (candidates.has(number)) return "candidate";
    return isPreview ? "preview only" : null;
  };
  const rows = page.deployments.map((deployment) => (
    <DeploymentRow key={deployment.number} deployment={deployment} state={stateOf(deployment)} act={act} />
  ));
  return (
    <>
      <Card className="flush">
        <Table caption="Retained deployments" columns={[["Deployment"], ["What it changed"]]}>
          {rows.reverse()}
        </Table>
        {rows.length === 0 && <p className="empty">There are no deployments.</p>}
      </Card>
      {page.next !== null && (
        <p>
          <a href={deploymentHref(page.next - 1)}>Older deployments</a>
        </p>
      )}
    </>
  );
}

interface DeploymentRowProps {
  readonly deployment: Deployment;
  readonly state: string | null;
  readonly act: (action: Action) => void;
}

function DeploymentRow({ deployment, state, act }: DeploymentRowProps): ReactElement {
  const { can, session } = useConsole();
  const { number, createdAt, by } = deployment;
  const actions: (readonly [kind: Action["kind"], label: string, name: string])[] = [];
  if (state === null && can("rollback", "*")) {
    actions.push(["rollback", "Roll back", `Roll back to deployment ${String(number)}`]);
  }
  if (session.permissions.some(({ actions: permitted }) => permitted.includes("preview"))) {
    actions.push(["preview", "Preview", `Preview deployment ${String(number)}`]);
  }
  return (
    <tr>
      <th scope="row">
        <a href={deploymentHref(number)}>{number}</a>{" "}
        {state !== null && <Badge sample={state !== "live"}>{state}</Badge>}
      </th>
      <td>
        <div className="releases">
          <div>
            <Contents deployment={deployment} />
            <Reason change={deployment} />
            <p className="muted">
              <Ago time={createdAt} exact /> by {by}
            </p>
          </div>
          <div className="actions">
            {actions.map(([kind, label, name]) => (
              <Button
                key={kind}
                quiet
                className="small"
                aria-label={name}
                onClick={() => {
                  act({ kind, deployment: number });
                }}
              >
                {label}
              </Button>
            ))}
          </div>
        </div>
      </td>
    </tr>
  );
}

/** What a deployment changed, or how many releases it has if that is not known. */
function Contents({ deployment }: { readonly deployment: Deployment }): ReactElement {
  const { history } = useConsole();
  const sections = changedBy(deployment, history.entries);
  if (!sections) return <p className="muted">{countOf(Object.keys(deployment.releases).length, "release")}</p>;
  if (Object.keys(sections).length === 0) return <p className="muted">The same releases.</p>;
  return <Changes sections={sections} />;
}

function EndPreviews({ close }: { readonly close: () => void }): ReactElement {
  return (
    <ActionDialog
      heading="End all previews"
      action="End all previews"
      withReason={false}
      close={close}
      act={() => call("DELETE", "/previews")}
      done={() => ({ text: "All previews have ended." })}
    >
      <p>All preview links of all teams stop working immediately.</p>
    </ActionDialog>
  );
}
