import { Card, Notice } from "@colonnade/design";
import type { ReactElement } from "react";

import { useConsole } from "../data.js";
import { dateOf, numberOf } from "../format.js";
import { Ago } from "../parts/Ago.js";
import type { GatewayDescription } from "../openapi.js";

const STATUS: Readonly<Record<GatewayDescription["status"], string>> = {
  ready: "Ready",
  degraded: "Degraded",
  "no-live-deployment": "Not ready: nothing is live",
  overloaded: "Overloaded: memory is nearly used up",
  replaced: "Replaced by an upgrade",
  "shutting-down": "Shutting down",
};

/** The health of the gateway that serves this page. */
export function Gateway(): ReactElement {
  const { gateway, session, traffic } = useConsole();
  const total = traffic.series.flatMap(({ points }) => points).reduce((sum, { requests }) => sum + requests, 0);
  const facts: readonly (readonly [string, ReactElement | string])[] = [
    ["Status", [STATUS[gateway.status], ...gateway.problems].join("; ")],
    ["Version", gateway.version],
    ["Started", <Ago key="age" time={gateway.startedAt} />],
    ["Revision of the live state", String(gateway.revision)],
    ["Requests in the charts’ time", numberOf(total)],
    ["Open event streams", String(gateway.streams)],
    ["Your token", session.token],
    ["Permitted actions", session.actions.join(", ")],
    ["On sections", session.sections.join(", ")],
    ["Your session ends", session.expiresAt === null ? "–" : dateOf(session.expiresAt)],
  ];
  return (
    <section aria-label="Health" className="panel">
      {gateway.unavailable.length > 0 && (
        <Notice kind="error" title="Releases are missing or damaged">
          <p>
            Restore {gateway.unavailable.join(", ")} from a backup, or deploy or roll back these sections. Until then
            their pages fail.
          </p>
        </Notice>
      )}
      {gateway.settingProblems.length > 0 && (
        <Notice kind="error" title="Settings are missing or mistyped">
          <ul>
            {gateway.settingProblems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
      {gateway.leftOutExtensions.length > 0 && (
        <Notice title="Extensions are not shown">
          <ul>
            {gateway.leftOutExtensions.map((extension) => (
              <li key={extension}>{extension}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Card>
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Card>
      <p className="muted">
        Each gateway has its metrics at <code>/metrics</code>, for Prometheus.
      </p>
    </section>
  );
}
