import { Button, Notice } from "@colonnade/kit";
import { useState, type ReactElement } from "react";

import { call, textOf } from "../api.js";
import { useConsole } from "../data.js";
import { ChangeList } from "../parts/ChangeList.js";
import type { Change, HistoryPage } from "../openapi.js";

/** All changes with their author and reason: the store's audit trail. */
export function History(): ReactElement {
  const { history, sections } = useConsole();
  const [older, setOlder] = useState<readonly Change[]>([]);
  const [next, setNext] = useState<number | null>();
  const [section, setSection] = useState("");
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const cursor = next === undefined ? history.next : next;

  const readOlder = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const page = await call<HistoryPage>("GET", `/history?limit=50&before=${String(cursor)}`);
      setOlder([...older, ...page.entries]);
      setNext(page.next);
    } catch (failure) {
      setError(textOf(failure));
    }
    setBusy(false);
  };

  // A change since the first page moves entries to the next one, which may have been read already.
  const known = new Map([...older, ...history.entries].map((change) => [change.revision, change]));
  const all = [...known.values()].sort((a, b) => b.revision - a.revision);
  const shown = section === "" ? all : all.filter((change) => section in change.sections);
  return (
    <section aria-label="Changes" className="panel">
      <p className="muted">
        The gateway’s log has more: the event <code>admin_request</code> of every call, also of refused ones.
      </p>
      <label className="filter">
        Section
        <select
          value={section}
          onChange={({ target }) => {
            setSection(target.value);
          }}
        >
          <option value="">All</option>
          {sections.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <ChangeList changes={shown} />
      {error !== undefined && (
        <Notice kind="error" role="alert">
          <p>{error}</p>
        </Notice>
      )}
      {cursor !== null && (
        <p>
          <Button quiet className="small" busy={busy} onClick={() => void readOlder()}>
            Older changes
          </Button>
        </p>
      )}
    </section>
  );
}
