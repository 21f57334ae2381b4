import { Badge, Card, Notice } from "@colonnade/design";
import type { ReactElement } from "react";

import { permissionsOf, useConsole, useRead } from "../data.js";
import { bytesOf, countOf, dateOf, numberOf, shareOf } from "../format.js";
import { Ago } from "../parts/Ago.js";
import { useNow } from "../parts/useNow.js";
import { Message, Unreadable } from "../parts/Message.js";
import { useShown } from "../parts/useShown.js";
import type { Gateway, GatewayDescription } from "../openapi.js";

const STATUS: Readonly<Record<GatewayDescription["status"], string>> = {
  ready: "Ready",
  degraded: "Degraded",
  "no-live-deployment": "Not ready: nothing is live",
  overloaded: "Overloaded: memory is nearly used up",
  replaced: "Replaced by an upgrade",
  "shutting-down": "Shutting down",
};

/** The page with all gateways of the store, and the sign-in session of the gateway that serves the page. */
export function Gateways(): ReactElement {
  return (
    <>
      <Fleet />
      <Health />
      <Session />
    </>
  );
}

const SIZE = 24;
const DAY_MS = 24 * 60 * 60_000;
// The gateway's alert has the same times.
const EXPIRES_SOON_DAYS = 14;
const FULL_SHARE = 0.9;
// A gateway follows a change within seconds.
const FOLLOWS_MS = 15_000;

function Fleet(): ReactElement {
  const { traffic, history } = useConsole();
  const changed = `${String(traffic.now)} ${String(history.entries[0]?.revision)}`;
  const { value, error } = useRead<readonly Gateway[]>("/gateways", changed);
  const all = value ?? [];
  const newest = Math.max(0, ...all.map(({ state }) => state.revision));
  const changedAt = Date.parse(history.entries[0]?.at ?? "1970-01-01");
  const versions = new Set(all.filter(({ missing }) => !missing).map(({ state }) => state.version));
  const missing = all.filter((each) => each.missing).length;
  const [shown, more] = useShown(
    all.toSorted((a, b) => rankOf(a) - rankOf(b)),
    SIZE,
    "gateways",
  );
  return (
    <section aria-labelledby="fleet" className="panel" aria-busy={!value && error === undefined}>
      <h2 id="fleet">Fleet</h2>
      <Unreadable what="gateways" error={error} />
      {value && (
        <p className="muted">
          {`${countOf(all.length - missing, "gateway")} with ${countOf(versions.size, "version")}`}
          {missing > 0 && `, ${numberOf(missing)} missing`}
          {". Each writes its state to the store every minute."}
        </p>
      )}
      <ul className="fleet">
        {shown.map((each) => (
          <Member key={each.id} gateway={each} newest={newest} changedAt={changedAt} />
        ))}
      </ul>
      {more}
    </section>
  );
}

/** Those with a problem come first. */
function rankOf({ missing, state }: Gateway): number {
  if (missing) return 0;
  return state.status === "ready" ? 2 : 1;
}

interface MemberProps {
  readonly gateway: Gateway;
  /** The newest revision that a gateway serves. */
  readonly newest: number;
  /** When the newest change was made. */
  readonly changedAt: number;
}

type Fact = readonly [name: string, value: ReactElement | string, isBad: boolean];

function Member({ gateway, newest, changedAt }: MemberProps): ReactElement {
  const { id, own, missing, seenAt, state } = gateway;
  const now = useNow();
  const { host, version, status, problems, storeProblem, revision, memory, workers, certificateExpiresAt } = state;
  const dot = missing ? "bad" : status === "ready" ? "good" : "wait";
  // It wrote its state after the newest change, and did not have it.
  const isBehind = revision < newest && Date.parse(seenAt) > changedAt + FOLLOWS_MS;
  const days = certificateExpiresAt === null ? null : (Date.parse(certificateExpiresAt) - now) / DAY_MS;
  const facts: readonly Fact[] = [
    ["Version", version, false],
    ["Revision", isBehind ? `${String(revision)}, behind ${String(newest)}` : String(revision), isBehind],
    [
      "Memory",
      memory
        ? `${bytesOf(memory.used)} of ${bytesOf(memory.limit)}, ${shareOf(memory.used / memory.limit)}`
        : "no limit is known",
      memory !== null && memory.used / memory.limit > FULL_SHARE,
    ],
    [
      "Render workers",
      workers ? `${String(workers.available)} of ${String(workers.configured)}` : "off",
      workers !== null && workers.available < workers.configured,
    ],
    [
      "Certificate",
      certificateExpiresAt === null ? "without TLS" : `until ${dateOf(certificateExpiresAt)}`,
      days !== null && days < EXPIRES_SOON_DAYS,
    ],
    ["Store", storeProblem === null ? "reads and writes" : <Message>{storeProblem}</Message>, storeProblem !== null],
  ];
  const last: readonly Fact[] = [
    ["Version", version, false],
    ["Last revision", String(revision), false],
  ];
  const process = id.slice(0, 8);
  return (
    <Card as="li" className="member" aria-label={`Gateway ${host}, process ${process}`}>
      <div className="row-top">
        <h3>
          <span className={`dot ${dot}`} aria-hidden="true" /> {host} {own && <Badge>this one</Badge>}
        </h3>
        <p className={missing ? "worse" : "muted"}>
          {missing ? "Last seen " : "Seen "}
          <Ago time={seenAt} exact={missing} />
        </p>
      </div>
      <p className="muted">
        Process <code>{process}</code>, started <Ago time={state.startedAt} exact />
      </p>
      <p className={missing || status === "ready" ? "muted" : "worse"}>
        {missing ? (
          "It has ended, or cannot reach the store."
        ) : (
          <Message>{[STATUS[status], ...problems].join("; ")}</Message>
        )}
      </p>
      <dl className="facts">
        {(missing ? last : facts).map(([name, value, isBad]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={isBad ? "worse" : undefined}>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** What is wrong with the releases that this gateway serves. */
function Health(): ReactElement | null {
  const { gateway } = useConsole();
  const { unavailable, settingProblems, leftOutExtensions } = gateway;
  if ([unavailable, settingProblems, leftOutExtensions].every(({ length }) => length === 0)) return null;
  return (
    <section aria-label="Problems" className="panel">
      {unavailable.length > 0 && (
        <Notice kind="error" title="Releases are missing or damaged">
          <p>
            Restore {unavailable.join(", ")} from a backup, or deploy or roll back these sections. Until then their
            pages fail.
          </p>
        </Notice>
      )}
      {settingProblems.length > 0 && (
        <Notice kind="error" title="Settings are missing or mistyped">
          <ul>
            {settingProblems.map((problem) => (
              <li key={problem}>
                <Message>{problem}</Message>
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {leftOutExtensions.length > 0 && (
        <Notice title="Extensions are not shown">
          <ul>
            {leftOutExtensions.map((extension) => (
              <li key={extension}>
                <Message>{extension}</Message>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </section>
  );
}

/** The session, and what only the gateway that serves this page counts. */
function Session(): ReactElement {
  const { gateway, session, traffic } = useConsole();
  const total = traffic.series.flatMap(({ points }) => points).reduce((sum, { requests }) => sum + requests, 0);
  const facts: readonly (readonly [string, string])[] = [
    ["Requests here in the charts’ time", numberOf(total)],
    ["Open event streams here", String(gateway.streams)],
    ["Your token", session.token],
    ["It permits", permissionsOf(session)],
    ["Your session ends", session.expiresAt === null ? "–" : dateOf(session.expiresAt)],
  ];
  return (
    <section aria-labelledby="session" className="panel">
      <h2 id="session">Your session</h2>
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
