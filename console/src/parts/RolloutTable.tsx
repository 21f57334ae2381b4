import { Card } from "@colonnade/design";
import type { ReactElement } from "react";

import type { RunningRollout } from "../data.js";
import { sectionHref } from "../router.js";
import { Ago } from "./Ago.js";
import { outlookOf } from "./steps.js";
import { Table } from "./Table.js";
import { useNow } from "./useNow.js";
import { useShown } from "./useShown.js";
import { Message } from "./Message.js";

const SIZE = 25;

/** Rollouts with a row each, those that need attention first. The pages of their sections have the rest. */
export function RolloutTable({ rollouts }: { readonly rollouts: readonly RunningRollout[] }): ReactElement {
  const now = useNow();
  const rank = (rollout: RunningRollout): number => ["bad", "wait", "good"].indexOf(outlookOf(rollout, now).kind);
  const [shown, more] = useShown(
    rollouts.toSorted((a, b) => rank(a) - rank(b)),
    SIZE,
    "rollouts",
  );
  return (
    <>
      <Card className="flush">
        <Table
          caption="Rollouts, those that need attention first"
          columns={[["Rollout of"], ["Visitors", "number"], ["Analysis"], ["Started", "optional"]]}
        >
          {shown.map((rollout) => (
            <RolloutRow key={rollout.deployment} rollout={rollout} now={now} />
          ))}
        </Table>
      </Card>
      {more}
    </>
  );
}

function RolloutRow({ rollout, now }: { readonly rollout: RunningRollout; readonly now: number }): ReactElement {
  const { kind, title, text } = outlookOf(rollout, now);
  return (
    <tr>
      <th scope="row">
        {Object.keys(rollout.sections).map((name, index) => (
          <span key={name}>
            {index > 0 && ", "}
            <a href={sectionHref(name)}>{name}</a>
          </span>
        ))}
      </th>
      <td className="number">{rollout.percent}%</td>
      <td>
        <span className={`dot ${kind}`} aria-hidden="true" /> {title}
        {kind !== "good" && (
          <span className="rule">
            <Message>{text}</Message>
          </span>
        )}
      </td>
      <td className="optional muted">
        <Ago time={rollout.startedAt} />
      </td>
    </tr>
  );
}
