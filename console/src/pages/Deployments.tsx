import { Button, Card } from "@colonnade/kit";
import { useState, type ReactElement } from "react";

import { call } from "../api.js";
import { useConsole } from "../data.js";
import { ActionDialog } from "../parts/ActionDialog.js";
import { Ago } from "../parts/Ago.js";
import { Changes } from "../parts/Changes.js";
import { PreviewDialog } from "../parts/PreviewDialog.js";
import type { Releases } from "../types.js";

/** The deployments that can be previewed, and the end of all previews. */
export function Previews(): ReactElement {
  const { deployments, can, session } = useConsole();
  const [preview, setPreview] = useState<number | null>(null);
  const [ending, setEnding] = useState(false);
  const list = deployments.deployments.toReversed();
  const live = deployments.deployments.find(({ number }) => number === deployments.live)?.releases;
  const candidates = new Set(deployments.rollouts.map(({ deployment }) => deployment));
  const stateOf = (number: number, isPreview?: boolean): string => {
    if (number === deployments.live) return "live";
    if (candidates.has(number)) return "candidate";
    return isPreview ? "preview only" : "";
  };
  const mayPreview = session.actions.includes("preview");
  return (
    <section aria-label="Deployments" className="panel">
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
        <table>
          <caption className="visually-hidden">Retained deployments</caption>
          <thead>
            <tr>
              <th scope="col">Deployment</th>
              <th scope="col">Compared with live</th>
              <th scope="col" className="optional">
                Created
              </th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {list.map(({ number, releases, createdAt, by, preview: isPreview }) => (
              <tr key={number}>
                <th scope="row">
                  {number} <span className="muted">{stateOf(number, isPreview)}</span>
                </th>
                <td className="releases">
                  <FromLive live={live} releases={releases} />
                </td>
                <td className="optional muted">
                  <Ago time={createdAt} /> by {by}
                </td>
                <td className="end">
                  {mayPreview && (
                    <Button
                      quiet
                      className="small"
                      aria-label={`Preview deployment ${String(number)}`}
                      onClick={() => {
                        setPreview(number);
                      }}
                    >
                      Preview
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {list.length === 0 && <p className="empty">There are no deployments.</p>}
      </Card>
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

interface FromLiveProps {
  readonly live: Releases | undefined;
  readonly releases: Releases;
}

/** How the releases of a deployment differ from the live ones. */
function FromLive({ live = {}, releases }: FromLiveProps): ReactElement {
  const names = [...new Set([...Object.keys(live), ...Object.keys(releases)])].sort();
  const changed = names.filter((name) => live[name] !== releases[name]);
  if (changed.length === 0) return <span className="muted">equal</span>;
  const changes = changed.map((name) => [name, { from: live[name] ?? null, to: releases[name] ?? null }] as const);
  return <Changes sections={Object.fromEntries(changes)} />;
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
