import { Button, Notice } from "@colonnade/design";
import { useState, type ReactElement } from "react";

import { useConsole } from "../data.js";
import { Ago } from "../parts/Ago.js";
import { ChangeList } from "../parts/ChangeList.js";
import { RollbackDialog } from "../parts/RollbackDialog.js";
import { RolloutPanel } from "../parts/RolloutPanel.js";
import { RolloutTable } from "../parts/RolloutTable.js";
import { SectionTable } from "../parts/SectionTable.js";
import { deploymentHref, hrefOf } from "../router.js";
import { Message } from "../parts/Message.js";
import type { Deployment } from "../openapi.js";

// A panel is as high as a screen.
const MOST_PANELS = 3;

/** What is live, the candidates beside it, and the newest changes. */
export function Overview(): ReactElement {
  const { rollouts, history, gateway } = useConsole();
  return (
    <>
      {gateway.problems.length > 0 && (
        <Notice kind="error" title="This gateway is degraded">
          <p>
            <Message>{gateway.problems.join("; ")}</Message>. <a href={hrefOf("gateways")}>All gateways</a>
          </p>
        </Notice>
      )}
      <div className={rollouts.length > 0 ? "columns two" : "columns"}>
        {rollouts.length > 0 && (
          <section aria-labelledby="candidates" className="panel candidates">
            <h2 id="candidates">{rollouts.length === 1 ? "Candidate" : "Candidates"}</h2>
            {rollouts.length > MOST_PANELS ? (
              <RolloutTable rollouts={rollouts} />
            ) : (
              rollouts.map((rollout) => <RolloutPanel key={Object.keys(rollout.sections).join()} rollout={rollout} />)
            )}
          </section>
        )}
        <LivePanel />
        <section aria-labelledby="recent" className="panel">
          <h2 id="recent">Recent changes</h2>
          <ChangeList changes={history.entries.slice(0, 5)} />
          <p>
            <a href={hrefOf("history")}>All changes</a>
          </p>
        </section>
      </div>
    </>
  );
}

function LivePanel(): ReactElement {
  const { deployments, can } = useConsole();
  const [isOpen, setOpen] = useState(false);
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
  const isEarlier = ({ number, preview }: Deployment): boolean => number < live.number && preview !== true;
  const hasEarlier = deployments.next !== null || deployments.deployments.some(isEarlier);
  return (
    <section aria-labelledby="live" className="panel">
      <div className="panel-top">
        <h2 id="live">
          <span className="dot live" aria-hidden="true" /> Live
        </h2>
        <p className="muted">
          <a href={deploymentHref(live.number)}>deployment {live.number}</a>, <Ago time={live.createdAt} /> by {live.by}
        </p>
      </div>
      {live.reason !== null && <p className="reason">“{live.reason}”</p>}
      <SectionTable caption="Live releases" />
      {can("rollback", "*") && hasEarlier && (
        <p>
          <Button
            quiet
            className="small"
            onClick={() => {
              setOpen(true);
            }}
          >
            Roll back the whole site
          </Button>
        </p>
      )}
      {isOpen && (
        <RollbackDialog
          target={{}}
          close={() => {
            setOpen(false);
          }}
        />
      )}
    </section>
  );
}
