import { useState, type ReactElement } from "react";

import { call } from "../api.js";
import { useConsole } from "../data.js";
import { ChangeList } from "../parts/ChangeList.js";
import { useOlder } from "../parts/Older.js";
import type { Change, HistoryPage } from "../openapi.js";

/** All changes with their author and reason: the store's audit trail. */
export function History(): ReactElement {
  const { history, sections } = useConsole();
  const [section, setSection] = useState("");
  const { items: older, more } = useOlder<Change>(history.next, "Older changes", async (before) => {
    const { entries, next } = await call<HistoryPage>("GET", `/history?limit=50&before=${String(before)}`);
    return { items: entries, next };
  });

  // A change since the first page moves entries to the next one, which may have been read already.
  const known = new Map([...older, ...history.entries].map((change) => [change.revision, change]));
  const all = [...known.values()].sort((a, b) => b.revision - a.revision);
  const shown = section === "" ? all : all.filter((change) => concerns(change, section));
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
      {more}
    </section>
  );
}

/** Whether a change concerns a section: its release, its extension, or an extension of its pages. */
function concerns({ sections, extension }: Change, name: string): boolean {
  return name in sections || extension?.section === name || extension?.point.startsWith(`${name}/`) === true;
}
