import { Badge, Button, Card } from "@colonnade/design";
import { useId, useState, type ReactElement } from "react";

import { call } from "../api.js";
import { useConsole } from "../data.js";
import { bytesOf, millisecondsOf, numberOf } from "../format.js";
import { ActionDialog } from "../parts/ActionDialog.js";
import { Ago } from "../parts/Ago.js";
import { ACTIONS, Table } from "../parts/Table.js";
import { Version } from "../parts/Version.js";
import type { ExtensionDescription } from "../openapi.js";

const STATES: Readonly<Record<ExtensionDescription["state"], string>> = {
  visible: "shown",
  off: "off",
  "not-allowed": "left out: site.toml does not allow it",
  full: "left out: the point is full",
  "not-opened": "left out: no live section opens the point",
};

/** Which sections fill which points, and a switch for each. */
export function Extensions(): ReactElement {
  const { extensions } = useConsole();
  return (
    <>
      <p className="muted">
        Errors and render times are those of this gateway since it started. Pages with the same props share a render.
      </p>
      {extensions.length === 0 && <p className="empty">No live section fills an extension point.</p>}
      <Points extensions={extensions} />
    </>
  );
}

interface PointsProps {
  readonly extensions: readonly ExtensionDescription[];
  /** The level of the points' headings. */
  readonly level?: 2 | 3;
}

/** Extensions by the point that they fill. */
export function Points({ extensions, level = 2 }: PointsProps): ReactElement {
  const { can } = useConsole();
  const [switched, setSwitched] = useState<ExtensionDescription>();
  const points = [...new Set(extensions.map(nameOf))];
  const maySwitch = ({ section, point }: ExtensionDescription): boolean =>
    can("rollback", section) || can("rollback", point.split("/")[0] ?? "");
  return (
    <>
      {points.map((name) => (
        <Point
          key={name}
          name={name}
          level={level}
          extensions={extensions.filter((extension) => nameOf(extension) === name)}
          change={(extension) => (maySwitch(extension) ? setSwitched : undefined)}
        />
      ))}
      {switched && (
        <Switch
          extension={switched}
          close={() => {
            setSwitched(undefined);
          }}
        />
      )}
    </>
  );
}

/** The name of the point, with the version that an extension fills. */
function nameOf({ point, pointVersion }: ExtensionDescription): string {
  return pointVersion === null ? point : `${point}@${String(pointVersion)}`;
}

interface PointProps {
  readonly name: string;
  readonly level: 2 | 3;
  readonly extensions: readonly ExtensionDescription[];
  /** Opens the dialog of an extension, where permitted. */
  readonly change: (extension: ExtensionDescription) => ((extension: ExtensionDescription) => void) | undefined;
}

function Point({ name, level, extensions, change }: PointProps): ReactElement {
  const id = useId();
  const Heading = `h${String(level)}` as "h2" | "h3";
  return (
    <section aria-labelledby={id} className="panel">
      <Heading id={id}>
        <code>{name}</code>
      </Heading>
      <Card className="flush">
        <Table
          className="extensions"
          caption={`Extensions of ${name}, in the order of pages`}
          columns={[["Section"], ["State"], ["Render", "number optional"], ["Size", "number optional"], ACTIONS]}
        >
          {extensions.map((extension) => (
            <Row
              key={`${extension.section}@${extension.version ?? ""}`}
              extension={extension}
              change={change(extension)}
            />
          ))}
        </Table>
      </Card>
    </section>
  );
}

interface RowProps {
  readonly extension: ExtensionDescription;
  readonly change: ((extension: ExtensionDescription) => void) | undefined;
}

function Row({ extension, change }: RowProps): ReactElement {
  const { section, version, live, state, off, errors, renderMs, bytes } = extension;
  return (
    <tr>
      <th scope="row">
        {section} {version !== null && <Version>{version}</Version>}{" "}
        {version !== null && !live && <Badge sample>candidate</Badge>}
      </th>
      <td>
        <span className={state === "visible" ? "dot good" : "dot wait"} aria-hidden="true" /> {STATES[state]}
        {errors > 0 && !off && <span className="worse">, {errorsOf(errors)}</span>}
        {off && (
          <>
            {" "}
            by {off.by}, <Ago time={off.at} />
            {errors > 0 && `; ${errorsOf(errors)} before`}
            {off.reason !== null && <p className="reason">“{off.reason}”</p>}
          </>
        )}
      </td>
      {/* Others have earlier renders, or only those of trials. */}
      <td className="number optional">{renderMs === null || state !== "visible" ? "–" : millisecondsOf(renderMs)}</td>
      <td className="number optional">{bytes === null ? "–" : bytesOf(bytes)}</td>
      <td className="end">
        {change && (
          <Button
            quiet
            className="small"
            aria-label={`${actionOf(extension)} ${section} in ${extension.point}`}
            onClick={() => {
              change(extension);
            }}
          >
            {actionOf(extension)}
          </Button>
        )}
      </td>
    </tr>
  );
}

const errorsOf = (errors: number): string => `${numberOf(errors)} ${errors === 1 ? "error" : "errors"}`;

const actionOf = ({ off }: ExtensionDescription): string => (off ? "Switch on" : "Switch off");

interface SwitchProps {
  readonly extension: ExtensionDescription;
  readonly close: () => void;
}

function Switch({ extension, close }: SwitchProps): ReactElement {
  const { section, point, off } = extension;
  return (
    <ActionDialog
      heading={`${actionOf(extension)} ${section}`}
      action={actionOf(extension)}
      close={close}
      act={(reason) =>
        call("POST", "/extensions", { body: { section, point, on: off !== null, ...(reason !== "" && { reason }) } })
      }
      done={() => ({ text: `The extension of ${section} for ${point} is ${off ? "on" : "off"}.` })}
    >
      <p>
        {off
          ? `Pages can show the extension of ${section} for ${point} again.`
          : `No page shows the extension of ${section} for ${point}, in all its versions, until it is switched on.`}
      </p>
    </ActionDialog>
  );
}
