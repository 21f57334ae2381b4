import { Badge, Button, Card } from "@colonnade/design";
import { useState, type ReactElement } from "react";

import { useConsole } from "../data.js";
import { sectionHref } from "../router.js";
import type { Section } from "../openapi.js";
import { Ago } from "./Ago.js";
import { lastChanges } from "./changed.js";
import { LastHour, useLastHour } from "./LastHour.js";
import { NameFilter, useNameFilter } from "./NameFilter.js";
import { RollbackDialog } from "./RollbackDialog.js";
import { Source } from "./Source.js";
import { ACTIONS, Table } from "./Table.js";
import { useShown } from "./useShown.js";
import { Version } from "./Version.js";

interface Row {
  readonly name: string;
  readonly live: string | null;
  /** Absent if all its releases are damaged. */
  readonly section: Section | undefined;
}

// A longer name breaks at a hyphen on a phone.
const ONE_LINE = 16;

interface SectionTableProps {
  readonly caption: string;
  /** Whether sections are listed that are not live. */
  readonly all?: boolean;
}

/** The sections with their live releases. The address has the filter, so that it can be linked to. */
export function SectionTable({ caption, all = false }: SectionTableProps): ReactElement {
  const { sections, deployments, history } = useConsole();
  const fits = useNameFilter();
  const recent = useLastHour();
  const [rollback, setRollback] = useState<string>();
  const last = lastChanges(sections, history.entries);
  const live = deployments.deployments.find(({ number }) => number === deployments.live)?.releases ?? {};
  const names = [...new Set([...Object.keys(live), ...(all ? sections.map(({ name }) => name) : [])])].sort();
  const rows = names
    .filter((name) => fits(name) && recent.fits(last.get(name)))
    .map((name) => ({
      name,
      live: live[name] ?? null,
      section: sections.find((each) => each.name === name),
    }));
  const [shown, more] = useShown(rows, all ? 50 : 10, "sections");
  return (
    <>
      {(names.length > 10 || all) && (
        <NameFilter count={rows.length}>
          <LastHour label="Changed in the last hour" />
        </NameFilter>
      )}
      <Card className="flush">
        <Table caption={caption} columns={[["Section"], ["Version"], ["Published", "optional"], ACTIONS]}>
          {shown.map((row) => (
            <SectionRow key={row.name} row={row} rollBack={setRollback} />
          ))}
        </Table>
        {rows.length === 0 && <p className="empty">No section fits.</p>}
      </Card>
      {more}
      {rollback !== undefined && (
        <RollbackDialog
          target={{ section: rollback }}
          close={() => {
            setRollback(undefined);
          }}
        />
      )}
    </>
  );
}

interface SectionRowProps {
  readonly row: Row;
  readonly rollBack: (section: string) => void;
}

function SectionRow({ row: { name, live, section }, rollBack }: SectionRowProps): ReactElement {
  const { can } = useConsole();
  const release = section?.releases.find(({ version }) => version === live);
  return (
    <tr>
      <th scope="row">
        <a href={sectionHref(name)} className={name.length <= ONE_LINE ? "nowrap" : undefined}>
          {name}
        </a>
      </th>
      <td>
        {live === null ? <span className="muted">not live</span> : <Version>{live}</Version>}
        {section?.candidate != null && (
          <>
            {" "}
            <Badge sample>rollout</Badge>
          </>
        )}
      </td>
      <td className="optional muted">
        {release ? (
          <>
            <Ago time={release.publishedAt} /> by {release.by} <Source source={release.source} />
          </>
        ) : (
          live !== null && "unavailable"
        )}
      </td>
      <td className="end">
        {can("rollback", name) && section?.previous != null && (
          <Button
            quiet
            className="small"
            aria-label={`Roll back ${name}`}
            onClick={() => {
              rollBack(name);
            }}
          >
            Roll back
          </Button>
        )}
      </td>
    </tr>
  );
}
