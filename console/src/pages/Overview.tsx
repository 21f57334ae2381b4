import { Button, Card } from "@colonnade/design";
import { useState, type ReactElement } from "react";

import { useConsole } from "../data.js";
import { Ago } from "../parts/Ago.js";
import { ChangeList } from "../parts/ChangeList.js";
import { RollbackDialog, type RollbackTarget } from "../parts/RollbackDialog.js";
import { RolloutPanel } from "../parts/RolloutPanel.js";
import { ACTIONS, Table } from "../parts/Table.js";
import { Version } from "../parts/Version.js";

/** What is live, the candidates beside it, and the newest changes. */
export function Overview(): ReactElement {
  const { rollouts, history } = useConsole();
  return (
    <>
      <div className={rollouts.length > 0 ? "columns two" : "columns"}>
        <LivePanel />
        {rollouts.length > 0 && (
          <section aria-labelledby="candidates" className="panel candidates">
            <h2 id="candidates">{rollouts.length === 1 ? "Candidate" : "Candidates"}</h2>
            {rollouts.map((rollout) => (
              <RolloutPanel key={Object.keys(rollout.sections).join()} rollout={rollout} />
            ))}
          </section>
        )}
        <section aria-labelledby="recent" className="panel">
          <h2 id="recent">Recent changes</h2>
          <ChangeList changes={history.entries.slice(0, 5)} />
          <p>
            <a href="#/history">All changes</a>
          </p>
        </section>
      </div>
    </>
  );
}

function LivePanel(): ReactElement {
  const { deployments, can } = useConsole();
  const [target, setTarget] = useState<RollbackTarget | null>(null);
  const live = deployments.deployments.find(({ number }) => number === deployments.live);
  if (!live) {
    return (
      <section aria-labelledby="live" className="panel">
        <h2 id="live">Live</h2>
        <p className="empty">
          Nothing is live. Publish the shell and a section, and deploy them with <code>colonnade deploy</code>.
        </p>
      </section>
    );
  }
  return (
    <section aria-labelledby="live" className="panel">
      <div className="panel-top">
        <h2 id="live">
          <span className="dot live" aria-hidden="true" /> Live
        </h2>
        <p className="muted">
          deployment {live.number}, <Ago time={live.createdAt} /> by {live.by}
        </p>
      </div>
      {live.reason !== null && <p className="reason">“{live.reason}”</p>}
      <Card className="flush">
        <Table caption="Live releases" columns={[["Section"], ["Version"], ["Published", "optional"], ACTIONS]}>
          {Object.entries(live.releases).map(([name, version]) => (
            <LiveRow key={name} name={name} version={version} rollBack={setTarget} />
          ))}
        </Table>
      </Card>
      {can("rollback", "*") && (
        <p>
          <Button
            quiet
            className="small"
            onClick={() => {
              setTarget({});
            }}
          >
            Roll back the whole site
          </Button>
        </p>
      )}
      {target && (
        <RollbackDialog
          target={target}
          close={() => {
            setTarget(null);
          }}
        />
      )}
    </section>
  );
}

interface LiveRowProps {
  readonly name: string;
  readonly version: string;
  readonly rollBack: (target: RollbackTarget) => void;
}

/** The live release of a section. */
function LiveRow({ name, version, rollBack }: LiveRowProps): ReactElement {
  const { sections, can } = useConsole();
  const section = sections.find((each) => each.name === name);
  const release = section?.releases.find((each) => each.version === version);
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <Version>{version}</Version>
      </td>
      <td className="optional muted">
        {release ? (
          <>
            <Ago time={release.publishedAt} /> by {release.by}
          </>
        ) : (
          "unavailable"
        )}
      </td>
      <td className="end">
        {can("rollback", name) && (
          <Button
            quiet
            className="small"
            aria-label={`Roll back ${name}`}
            onClick={() => {
              rollBack({ section: name });
            }}
          >
            Roll back
          </Button>
        )}
      </td>
    </tr>
  );
}
