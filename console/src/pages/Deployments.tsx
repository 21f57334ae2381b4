import { Badge, Button, Card } from "@colonnade/design";
import { useState, type ReactElement } from "react";

import { call } from "../api.js";
import { useConsole } from "../data.js";
import { ActionDialog } from "../parts/ActionDialog.js";
import { Ago } from "../parts/Ago.js";
import { useOlder } from "../parts/Older.js";
import { PreviewDialog } from "../parts/PreviewDialog.js";
import { ACTIONS, Table } from "../parts/Table.js";
import { Version } from "../parts/Version.js";
import type { Deployment, DeploymentList, Releases } from "../openapi.js";

/** The retained deployments, which can be previewed, and the end of all previews. The gateway keeps no list of links. */
export function Deployments(): ReactElement {
  const { deployments, rollouts, can, session } = useConsole();
  const [preview, setPreview] = useState<number | null>(null);
  const [ending, setEnding] = useState(false);
  const { items: older, more } = useOlder<Deployment>(deployments.next, "Older deployments", async (before) => {
    const page = await call<DeploymentList>("GET", `/deployments?before=${String(before)}`);
    return { items: page.deployments, next: page.next };
  });
  const known = new Map([...older, ...deployments.deployments].map((deployment) => [deployment.number, deployment]));
  const list = [...known.values()].sort((a, b) => b.number - a.number);
  const live = deployments.deployments.find(({ number }) => number === deployments.live)?.releases;
  const candidates = new Set(rollouts.map(({ deployment }) => deployment));
  const stateOf = ({ number, preview: isPreview }: Deployment): string | null => {
    if (number === deployments.live) return "live";
    if (candidates.has(number)) return "candidate";
    return isPreview ? "preview only" : null;
  };
  const mayPreview = session.actions.includes("preview");
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
      <Card className="flush">
        <Table
          caption="Retained deployments"
          columns={[["Deployment"], ["Compared with live"], ["Created", "optional"], ACTIONS]}
        >
          {list.map((deployment) => (
            <DeploymentRow
              key={deployment.number}
              deployment={deployment}
              live={live}
              state={stateOf(deployment)}
              preview={mayPreview ? setPreview : undefined}
            />
          ))}
        </Table>
        {list.length === 0 && <p className="empty">There are no deployments.</p>}
      </Card>
      {more}
      {preview !== null && (
        <PreviewDialog
          deployment={preview}
          close={() => {
            setPreview(null);
          }}
        />
      )}
      {ending && (
        <EndPreviews
          close={() => {
            setEnding(false);
          }}
        />
      )}
    </section>
  );
}

interface DeploymentRowProps {
  readonly deployment: Deployment;
  readonly live: Releases | undefined;
  readonly state: string | null;
  /** Opens the preview of a deployment, where permitted. */
  readonly preview: ((number: number) => void) | undefined;
}

function DeploymentRow({ deployment, live, state, preview }: DeploymentRowProps): ReactElement {
  const { number, releases, createdAt, by } = deployment;
  return (
    <tr>
      <th scope="row">
        {number} {state !== null && <Badge sample={state !== "live"}>{state}</Badge>}
      </th>
      <td className="releases">
        <FromLive live={live} releases={releases} />
      </td>
      <td className="optional muted">
        <Ago time={createdAt} /> by {by}
      </td>
      <td className="end">
        {preview && (
          <Button
            quiet
            className="small"
            aria-label={`Preview deployment ${String(number)}`}
            onClick={() => {
              preview(number);
            }}
          >
            Preview
          </Button>
        )}
      </td>
    </tr>
  );
}

interface FromLiveProps {
  readonly live: Releases | undefined;
  readonly releases: Releases;
}

/** How the releases of a deployment differ from the live ones. */
function FromLive({ live = {}, releases }: FromLiveProps): ReactElement {
  const names = [...new Set([...Object.keys(live), ...Object.keys(releases)])].sort();
  const changed = names.filter((name) => live[name] !== releases[name]);
  if (changed.length === 0) return <span className="muted">equal</span>;
  return (
    <ul className="changes">
      {changed.map((name) => (
        <li key={name}>
          <b>{name}</b> {releases[name] === undefined ? <span>removed</span> : <Version>{releases[name]}</Version>}
        </li>
      ))}
    </ul>
  );
}

function EndPreviews({ close }: { readonly close: () => void }): ReactElement {
  return (
    <ActionDialog
      heading="End all previews"
      action="End all previews"
      withReason={false}
      close={close}
      act={() => call("DELETE", "/previews")}
    >
      <p>All preview links of all teams stop working immediately.</p>
    </ActionDialog>
  );
}
