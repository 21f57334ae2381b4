import type { ReactElement } from "react";

import { changeText } from "../format.js";
import type { Change } from "../openapi.js";
import { Version } from "./Version.js";

/** The release changes of a deployment, one line for each section. */
export function Changes({ sections }: { readonly sections: Change["sections"] }): ReactElement | null {
  const entries = Object.entries(sections);
  if (entries.length === 0) return null;
  return (
    <ul className="changes">
      {entries.map(([name, change]) => (
        <li key={name}>
          <span className="visually-hidden">{changeText(name, change)}</span>
          <span aria-hidden="true">
            <b>{name}</b> {change.from !== null && <Version>{change.from}</Version>}
            {change.from !== null && change.to !== null && " → "}
            {change.to === null ? <span> removed</span> : <Version>{change.to}</Version>}
            {change.from === null && <span> added</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
