import { Card } from "@colonnade/kit";
import type { ReactElement } from "react";

import { ACTIONS } from "../format.js";
import type { Change } from "../types.js";
import { Ago } from "./Ago.js";
import { Changes } from "./Changes.js";

const BAD = ["abort", "automatic-abort", "rollback"];

/** Changes, newest first: what, by whom, when and why. */
export function ChangeList({ changes }: { readonly changes: readonly Change[] }): ReactElement {
  if (changes.length === 0) return <p className="empty">There are no changes yet.</p>;
  return (
    <Card as="div" className="flush">
      <ol className="rows">
        {changes.map((change) => (
          <li key={change.revision}>
            <div className="row-main">
              <p>
                <span className={BAD.includes(change.action) ? "dot bad" : "dot good"} aria-hidden="true" />{" "}
                <b>{ACTIONS[change.action] ?? change.action}</b>
                {change.percent !== undefined && ` to ${String(change.percent)}%`}
              </p>
              <Changes sections={change.sections} />
              {change.reason !== null && <p className="reason">“{change.reason}”</p>}
            </div>
            <p className="row-side muted">
              <span>{change.by}</span> <Ago time={change.at} />{" "}
              <span className="revision">revision {change.revision}</span>
            </p>
          </li>
        ))}
      </ol>
    </Card>
  );
}
