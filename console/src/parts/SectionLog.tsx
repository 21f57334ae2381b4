import { Card } from "@colonnade/design";
import { useCallback, type ReactElement } from "react";

import { useConsole, useRead } from "../data.js";
import type { LogEntry, SectionLogPage } from "../openapi.js";
import { Ago } from "./Ago.js";
import { Unreadable } from "./Message.js";
import { locateText, useFound, type Locate } from "./sources.js";
import { useShown } from "./useShown.js";

const SIZE = 10;

const KINDS: Readonly<Partial<Record<LogEntry["kind"], string>>> = {
  published: "Published",
  "publish-rejected": "Publish rejected",
  "trial-passed": "Trial render passed",
  "trial-failed": "Trial render failed",
};

/** What the gateway did with the releases of a section. A problem has the source position of its error. */
export function SectionLog({ name, locate }: { readonly name: string; readonly locate: Locate }): ReactElement {
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
              <Entry key={entry.id} entry={entry} locate={locate} />
            ))}
          </ol>
        </Card>
      )}
      {more}
    </section>
  );
}

function Entry({ entry, locate }: { readonly entry: LogEntry; readonly locate: Locate }): ReactElement {
  const { kind, at, release = "", by, problems = [] } = entry;
  const isBad = problems.length > 0 || kind.endsWith("rejected") || kind.endsWith("failed");
  return (
    <li>
      <div className="row-top">
        <p>
          <span className={isBad ? "dot bad" : "dot good"} aria-hidden="true" /> <b>{KINDS[kind]}</b>{" "}
          <code>{release}</code>
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
              <Problem problem={problem} release={release} locate={locate} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

interface ProblemProps {
  readonly problem: string;
  readonly release: string;
  readonly locate: Locate;
}

function Problem({ problem, release, locate }: ProblemProps): ReactElement {
  const find = useCallback(() => {
    // The error can be one of another release, such as that of an extension.
    const isOwn = problem.includes(` of ${release})`);
    return isOwn ? locateText(locate, release.slice(release.indexOf("@") + 1), problem) : Promise.resolve(problem);
  }, [problem, release, locate]);
  return <pre>{useFound(find) ?? problem}</pre>;
}
