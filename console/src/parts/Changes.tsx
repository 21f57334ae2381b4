import { Disclosure } from "@colonnade/design";
import type { ReactElement } from "react";

import { useConsole } from "../data.js";
import { changeText, countOf } from "../format.js";
import type { Change, ReleaseChange, ReleaseSource } from "../openapi.js";
import { Source } from "./Source.js";
import { Version } from "./Version.js";

// A deploy can change a hundred.
const MOST = 6;

interface ChangesProps {
  readonly sections: Change["sections"];
  /** The section that the reader has chosen, which comes first. */
  readonly first?: string | undefined;
}

/** The release changes of a deployment, one line for each section. */
export function Changes({ sections, first }: ChangesProps): ReactElement | null {
  const entries = Object.entries(sections).sort(([a], [b]) => Number(b === first) - Number(a === first));
  if (entries.length === 0) return null;
  const shown = entries.length > MOST + 1 ? entries.slice(0, MOST) : entries;
  const rest = entries.slice(shown.length);
  return (
    <>
      <Lines entries={shown} />
      {rest.length > 0 && (
        <Disclosure summary={countOf(rest.length, "other section")}>
          <Lines entries={rest} />
        </Disclosure>
      )}
    </>
  );
}

function Lines({ entries }: { readonly entries: readonly (readonly [string, ReleaseChange])[] }): ReactElement {
  const published = useConsole().sections;
  const sourceOf = (name: string, version: string | null): ReleaseSource | undefined =>
    published.find((section) => section.name === name)?.releases.find((release) => release.version === version)?.source;
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
          </span>{" "}
          <span className="muted">
            <Source source={sourceOf(name, change.to)} />
          </span>
        </li>
      ))}
    </ul>
  );
}
