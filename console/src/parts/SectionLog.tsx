import { Card } from "@colonnade/design";
import type { ReactElement } from "react";

import { useConsole, useRead } from "../data.js";
import type { LogEntry, SectionLogPage } from "../openapi.js";
import { Ago } from "./Ago.js";
import { Unreadable } from "./Message.js";
import { useShown } from "./useShown.js";

const SIZE = 10;

const KINDS: Readonly<Partial<Record<LogEntry["kind"], string>>> = {
  published: "Published",
  "publish-rejected": "Publish rejected",
  "trial-passed": "Trial render passed",
  "trial-failed": "Trial render failed",
};

/** What the gateway did with the releases of a section. A problem has the source position of its error. */
export function SectionLog({ name }: { readonly name: string }): ReactElement {
  const { history, traffic } = useConsole();
  const { value, error } = useRead<SectionLogPage>(
    `/sections/${name}/logs`,
    `${String(history.entries[0]?.revision)} ${String(traffic.now)}`,
  );
  // The changes are in the history.
  const entries = (value?.entries ?? []).filter(({ kind }) => kind in KINDS).toReversed();
  const [shown, more] = useShown(entries, SIZE, "entries");
  return (
    <section aria-labelledby="log" className="panel" aria-busy={!value && error === undefined}>
      <h2 id="log">Log</h2>
      <p className="muted">
        Publishes and trial renders at this gateway since it started, with the source positions of errors.
      </p>
      <Unreadable what="log" error={error} />
      {value && entries.length === 0 && <p className="empty">There are no entries yet.</p>}
      {shown.length > 0 && (
        <Card as="div" className="flush">
          <ol className="rows">
            {shown.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ol>
        </Card>
      )}
      {more}
    </section>
  );
}

function Entry({ entry }: { readonly entry: LogEntry }): ReactElement {
  const { kind, at, release, by, problems = [] } = entry;
  const isBad = problems.length > 0 || kind.endsWith("rejected") || kind.endsWith("failed");
  return (
    <li>
      <div className="row-top">
        <p>
          <span className={isBad ? "dot bad" : "dot good"} aria-hidden="true" /> <b>{KINDS[kind]}</b>{" "}
          {release !== undefined && <code>{release}</code>}
        </p>
        <p className="muted">
          {by !== undefined && `by ${by}, `}
          <Ago time={at} exact />
        </p>
      </div>
      {problems.length > 0 && (
        <ul className="problems">
          {problems.map((problem) => (
            <li key={problem}>
              <pre>{problem}</pre>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
