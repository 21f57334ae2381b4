import { Card } from "@colonnade/design";
import { useEffect, useState, type ReactElement } from "react";

import { call, textOf } from "../api.js";
import { bytesOf, differenceOf } from "../format.js";
import type { ReleaseDescription, Section } from "../openapi.js";
import { Unreadable } from "./Message.js";
import { differencesOf } from "./differences.js";

/** What differs between two releases of a section, in bytes by page and by file. */
export function Differences({ section }: { readonly section: Section }): ReactElement {
  const newest = section.releases.at(-1)?.version ?? "";
  const before = section.releases.at(-2)?.version ?? newest;
  const target = section.candidate ?? newest;
  const [from, setFrom] = useState(section.live !== null && section.live !== target ? section.live : before);
  const [to, setTo] = useState(target);
  const [pair, setPair] = useState<readonly [ReleaseDescription, ReleaseDescription]>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const controller = new AbortController();
    const read = (version: string): Promise<ReleaseDescription> =>
      call("GET", `/sections/${section.name}/releases/${encodeURIComponent(version)}`, { signal: controller.signal });
    Promise.all([read(from), read(to)]).then(
      (both) => {
        setPair(both);
        setError(undefined);
      },
      (failure: unknown) => {
        if (!controller.signal.aborted) setError(textOf(failure));
      },
    );
    return () => {
      controller.abort();
    };
  }, [section.name, from, to]);

  const chooser = (label: string, value: string, set: (version: string) => void): ReactElement => (
    <label className="filter">
      {label}
      <select
        value={value}
        onChange={(event) => {
          set(event.target.value);
        }}
      >
        {section.releases.map(({ version }) => (
          <option key={version}>{version}</option>
        ))}
      </select>
    </label>
  );
  const isCurrent = pair?.[0].version === from && pair[1].version === to;
  return (
    <section aria-labelledby="differences" className="panel" aria-busy={!isCurrent && error === undefined}>
      <h2 id="differences">Differences</h2>
      <div className="filters">
        {chooser("From", from, setFrom)}
        {chooser("To", to, setTo)}
      </div>
      <Unreadable what="releases" error={error} />
      {!isCurrent && error === undefined && <p role="status">Reading the releases…</p>}
      {pair && isCurrent && <DifferenceTables from={pair[0]} to={pair[1]} />}
    </section>
  );
}

interface DifferenceTablesProps {
  readonly from: ReleaseDescription;
  readonly to: ReleaseDescription;
}

function DifferenceTables({ from, to }: DifferenceTablesProps): ReactElement {
  const { views, files, unchanged } = differencesOf(from, to);
  return (
    <>
      {views.length > 0 && (
        <Card className="flush">
          <SizeTable
            caption="Bytes of each page’s first view, and of each extension"
            name="Page or extension"
            rows={views}
          />
        </Card>
      )}
      {files.length > 0 ? (
        <Card className="flush">
          <SizeTable caption="Changed files" name="File" rows={files} />
        </Card>
      ) : (
        <p className="empty">All files are equal.</p>
      )}
      <p className="muted">
        {`${String(unchanged)} ${unchanged === 1 ? "file is" : "files are"} equal. Sizes are not compressed.`}
      </p>
    </>
  );
}

interface SizeTableProps {
  readonly caption: string;
  readonly name: string;
  readonly rows: readonly { readonly name: string; readonly from: number | null; readonly to: number | null }[];
}

function SizeTable({ caption, name, rows }: SizeTableProps): ReactElement {
  const size = (bytes: number | null): string => (bytes === null ? "–" : bytesOf(bytes));
  return (
    <table className="sizes">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{name}</th>
          <th scope="col" className="number optional">
            From
          </th>
          <th scope="col" className="number">
            To
          </th>
          <th scope="col" className="number">
            Difference
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const difference = (row.to ?? 0) - (row.from ?? 0);
          return (
            <tr key={row.name}>
              <th scope="row">
                <code>{row.name}</code>
              </th>
              <td className="number optional">{size(row.from)}</td>
              <td className="number">{row.to === null ? "removed" : size(row.to)}</td>
              <td className={difference > 0 ? "number worse" : "number"}>
                {row.from === null ? `new, ${differenceOf(difference)}` : differenceOf(difference)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
