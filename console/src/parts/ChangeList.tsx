import { Card } from "@colonnade/design";
import type { ReactElement } from "react";

import { actionText } from "../format.js";
import { Message } from "./Message.js";
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

interface ChangeListProps {
  readonly changes: readonly Change[];
  /** The text without changes. */
  readonly empty?: string;
  /** The section that the changes are of, if they are of one. */
  readonly section?: string;
}

/** The text of a list without changes, of a section if it is named: whether older ones are not read yet. */
export function noChangesOf(next: number | null, section = ""): string {
  if (next !== null) return "Only older changes can be here.";
  return section === "" ? "There are no changes yet." : `There are no changes of ${section}.`;
}

/** Changes, newest first: what, by whom, when and why. */
export function ChangeList({ changes, empty = noChangesOf(null), section }: ChangeListProps): ReactElement {
  if (changes.length === 0) return <p className="empty">{empty}</p>;
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
                by {change.by}, <Ago time={change.at} exact />, revision {change.revision}
              </p>
            </div>
            <Changes sections={change.sections} first={section} />
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
export function Reason({
  change: { by, reason },
}: {
  readonly change: Pick<Change, "by" | "reason">;
}): ReactElement | null {
  if (reason === null) return null;
  return by === GATEWAY ? (
    <p className="measured">
      <Message>{reason}</Message>
    </p>
  ) : (
    <p className="reason">“{reason}”</p>
  );
}
