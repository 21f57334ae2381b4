import { Card } from "@colonnade/design";
import type { ReactElement } from "react";

import { useConsole, useRead } from "../data.js";
import { dateOf, numberOf } from "../format.js";
import type { ErrorEntry, SectionErrors as Errors } from "../openapi.js";
import { Ago } from "./Ago.js";
import { Position } from "./Position.js";
import type { Locate } from "./sources.js";
import { Table } from "./Table.js";
import { useShown } from "./useShown.js";
import { Unreadable } from "./Message.js";
import { Version } from "./Version.js";

const SIZE = 10;

/** What the causes of errors mean. */
const CAUSES: Readonly<Record<string, string>> = {
  load: "Loading failed",
  render: "Rendering failed",
  exception: "Rendering failed",
  cpu_limit: "Rendering used too much CPU time",
  memory_limit: "Rendering used too much memory",
  deadline_exceeded: "Rendering took too long",
  worker_crashed: "The render worker crashed",
  worker_unresponsive: "The render worker did not respond",
  circuit_open: "Rendering is suspended after failures",
};

/** What failed for visitors in a section: pages and extensions, in the gateway and in browsers. */
export function SectionErrors({ name, locate }: { readonly name: string; readonly locate: Locate }): ReactElement {
  const { traffic } = useConsole();
  const { value, error } = useRead<Errors>(`/sections/${name}/errors`, traffic);
  const [shown, more] = useShown(value?.errors ?? [], SIZE, "errors");
  return (
    <section aria-labelledby="errors" className="panel" aria-busy={!value && error === undefined}>
      <h2 id="errors">Errors</h2>
      <Unreadable what="errors" error={error} />
      {value?.errors.length === 0 && (
        <p className="muted">No errors since {dateOf(value.since)}, when this gateway started.</p>
      )}
      {shown.length > 0 && (
        <Card className="flush">
          <Table
            caption={`Errors of ${name}, the most recently seen first`}
            columns={[["Page and release"], ["Error"], ["Times", "number"], ["Last seen"]]}
          >
            {shown.map((entry) => (
              <ErrorRow key={keyOf(entry)} entry={entry} locate={locate} />
            ))}
          </Table>
        </Card>
      )}
      {more}
    </section>
  );
}

const keyOf = ({ version, page, extensionPoint, source, cause, class: kind, position }: ErrorEntry): string =>
  [version, page, extensionPoint, source, cause, kind, position].join(" ");

function ErrorRow({ entry, locate }: { readonly entry: ErrorEntry; readonly locate: Locate }): ReactElement {
  const { page, extensionPoint, cause, class: kind, source, position, version, count, lastSeen } = entry;
  const what = CAUSES[cause] ?? cause;
  return (
    <tr>
      <th scope="row">
        <code>{page ?? extensionPoint ?? "any"}</code>
        <span className="rule">
          <Version>{version}</Version>
        </span>
      </th>
      <td>
        {kind ?? what} <span className="rule">{kind === null ? `In the ${source}` : `${what}, in the ${source}`}</span>
        {position !== null && <Position version={version} position={position} locate={locate} />}
      </td>
      <td className="number">{numberOf(count)}</td>
      <td>
        <Ago time={lastSeen} />
      </td>
    </tr>
  );
}
