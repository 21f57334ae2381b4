import { Card } from "@colonnade/design";
import type { ReactElement } from "react";

import { actionText } from "../format.js";
import type { Change } from "../openapi.js";
import { Ago } from "./Ago.js";
import { Changes } from "./Changes.js";

const BAD = ["abort", "automatic-abort", "rollback", "extension-off"];
// The gateway's reasons are measurements, and no quotes.
const GATEWAY = "gateway";

function dotOf({ action, paused }: Change): string {
  if (BAD.includes(action)) return "dot bad";
  return paused ? "dot wait" : "dot good";
}

/** Changes, newest first: what, by whom, when and why. */
export function ChangeList({ changes }: { readonly changes: readonly Change[] }): ReactElement {
  if (changes.length === 0) return <p className="empty">There are no changes yet.</p>;
  return (
    <Card as="div" className="flush">
      <ol className="rows">
        {changes.map((change) => (
          <li key={change.revision}>
            <div className="row-top">
              <p>
                <span className={dotOf(change)} aria-hidden="true" /> <b>{actionText(change)}</b>
              </p>
              <p className="muted">
                by {change.by}, <Ago time={change.at} />, revision {change.revision}
              </p>
            </div>
            <Changes sections={change.sections} />
            {change.extension && (
              <p>
                <b>{change.extension.section}</b> in <code>{change.extension.point}</code>
              </p>
            )}
            {change.steps !== undefined && <p className="muted">Steps: {change.steps}</p>}
            <Reason change={change} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** Why a change was made. */
export function Reason({ change: { by, reason } }: { readonly change: Change }): ReactElement | null {
  if (reason === null) return null;
  return by === GATEWAY ? <p className="measured">{reason}</p> : <p className="reason">“{reason}”</p>;
}
