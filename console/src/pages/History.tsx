import type { ReactElement } from "react";

import { call } from "../api.js";
import { useConsole, useRead } from "../data.js";
import { ChangeList, noChangesOf } from "../parts/ChangeList.js";
import { LastHour, useLastHour } from "../parts/LastHour.js";
import { useOlder } from "../parts/Older.js";
import { Unreadable } from "../parts/Message.js";
import { useShown } from "../parts/useShown.js";
import { replaceQuery, useQueryParameter } from "../router.js";
import type { Change, HistoryPage } from "../openapi.js";

const SIZE = 50;

/** All changes, or those of a section, with their author and reason. */
export function History(): ReactElement {
  const { history } = useConsole();
  const section = useQueryParameter("section");
  return (
    <section aria-label="Changes" className="panel">
      <p className="muted">
        The audit log has more, such as the calls that were refused: <code>GET /api/v1/audit</code> exports it. The
        event <code>admin_request</code> of a gateway’s log has reads, too.
      </p>
      <Filters section={section} />
      {section === "" ? <Pages first={history} query="" /> : <SectionHistory key={section} section={section} />}
    </section>
  );
}

function Filters({ section }: { readonly section: string }): ReactElement {
  const { sections } = useConsole();
  // Also one whose releases are all removed.
  const names = new Set(["", ...sections.map(({ name }) => name), section]);
  return (
    <div className="filters">
      <label className="filter">
        Section
        <select
          value={section}
          onChange={({ target }) => {
            replaceQuery({ section: target.value });
          }}
        >
          {[...names].map((name) => (
            <option key={name} value={name}>
              {name === "" ? "All" : name}
            </option>
          ))}
        </select>
      </label>
      <LastHour label="In the last hour" />
    </div>
  );
}

function SectionHistory({ section }: { readonly section: string }): ReactElement {
  const { history } = useConsole();
  const query = `&section=${encodeURIComponent(section)}`;
  const { value, error } = useRead<HistoryPage>(`/history?limit=${String(SIZE)}${query}`, history);
  return (
    <>
      <Unreadable what="changes" error={error} />
      {value ? <Pages first={value} query={query} /> : error === undefined && <p role="status">Reading…</p>}
    </>
  );
}

interface PagesProps {
  /** The newest changes, which are kept current. */
  readonly first: HistoryPage;
  /** What selects the older ones. */
  readonly query: string;
}

function Pages({ first, query }: PagesProps): ReactElement {
  const section = useQueryParameter("section");
  const recent = useLastHour();
  const { items: older, more } = useOlder<Change>(first.next, "Older changes", async (before) => {
    const path = `/history?limit=${String(SIZE)}${query}&before=${String(before)}`;
    const { entries, next } = await call<HistoryPage>("GET", path);
    return { items: entries, next };
  });

  // A change since the first page moves entries to the next one, which may have been read already.
  const known = new Map([...older, ...first.entries].map((change) => [change.revision, change]));
  const all = [...known.values()].sort((a, b) => b.revision - a.revision);
  const [shown, rest] = useShown(
    all.filter(({ at }) => recent.fits(at)),
    SIZE,
    "changes",
  );
  const none = "There were no changes in the last hour.";
  const empty = recent.only && all.length > 0 ? none : noChangesOf(first.next, section);
  return (
    <>
      <ChangeList changes={shown} empty={empty} section={section} />
      {rest ?? more}
    </>
  );
}
