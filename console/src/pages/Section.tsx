import { Badge, Button, Card, Disclosure, Notice } from "@colonnade/design";
import { useState, type ReactElement } from "react";

import { useConsole, useRead } from "../data.js";
import { bytesOf } from "../format.js";
import { Ago } from "../parts/Ago.js";
import { ChangeList, noChangesOf } from "../parts/ChangeList.js";
import { DeployDialog } from "../parts/DeployDialog.js";
import { Differences } from "../parts/Differences.js";
import { RollbackDialog } from "../parts/RollbackDialog.js";
import { RolloutPanel } from "../parts/RolloutPanel.js";
import { SectionAccess } from "../parts/SectionAccess.js";
import { SectionErrors } from "../parts/SectionErrors.js";
import { SectionLog } from "../parts/SectionLog.js";
import { Source } from "../parts/Source.js";
import { useLocate } from "../parts/sources.js";
import { ACTIONS, Table } from "../parts/Table.js";
import { sectionsOf } from "../parts/traffic.js";
import { useShown } from "../parts/useShown.js";
import { Version } from "../parts/Version.js";
import { hrefOf, sectionHref, useQueryParameter } from "../router.js";
import { Unreadable } from "../parts/Message.js";
import type { HistoryPage, Section, SectionRelease } from "../openapi.js";
import { Points } from "./Extensions.js";
import { SectionCharts, TrafficRange } from "./Traffic.js";

/** Everything about one section, and what can be done with it. */
export function SectionPage({ name }: { readonly name: string }): ReactElement {
  const { sections, rollouts, deployments } = useConsole();
  const locate = useLocate(name);
  const section = sections.find((each) => each.name === name);
  const live = deployments.deployments.find(({ number }) => number === deployments.live)?.releases[name] ?? null;
  if (!section && live === null) {
    return (
      <p className="empty">
        There is no release of <b>{name}</b>. <a href={hrefOf("sections")}>All sections</a>
      </p>
    );
  }
  const rollout = rollouts.find((each) => name in each.sections);
  return (
    <>
      <LiveRelease name={name} live={live} section={section} />
      {rollout && (
        <section aria-labelledby="rollout" className="panel">
          <h2 id="rollout">Rollout</h2>
          <RolloutPanel rollout={rollout} />
        </section>
      )}
      {section && <Releases key={name} section={section} />}
      <SectionErrors name={name} locate={locate} />
      <Recent name={name} />
      <SectionLog name={name} locate={locate} />
      <Traffic name={name} />
      <Extensions name={name} />
      <SectionAccess name={name} />
    </>
  );
}

interface LiveReleaseProps {
  readonly name: string;
  readonly live: string | null;
  readonly section: Section | undefined;
}

/** What visitors see of a section. */
function LiveRelease({ name, live, section }: LiveReleaseProps): ReactElement {
  const { can } = useConsole();
  const [isOpen, setOpen] = useState(false);
  const release = section?.releases.find(({ version }) => version === live);
  return (
    <section aria-labelledby="live" className="panel">
      <div className="panel-top">
        <h2 id="live">
          <span className={live === null ? "dot" : "dot live"} aria-hidden="true" /> Live
        </h2>
        {can("rollback", name) && section?.previous != null && (
          <Button
            quiet
            className="small"
            onClick={() => {
              setOpen(true);
            }}
          >
            Roll back
          </Button>
        )}
      </div>
      {live === null ? (
        <p className="muted">Visitors do not see this section. Deploy one of its releases.</p>
      ) : (
        <p>
          <Version>{live}</Version>{" "}
          <span className="muted">
            {release ? (
              <>
                <Ago time={release.publishedAt} exact /> by {release.by} <Source source={release.source} />
              </>
            ) : (
              "The release is missing or damaged: its pages fail."
            )}
          </span>
        </p>
      )}
      {isOpen && (
        <RollbackDialog
          target={{ section: name }}
          close={() => {
            setOpen(false);
          }}
        />
      )}
    </section>
  );
}

const SIZE = 10;

/** The releases of a section, newest first, each of which can be deployed. */
function Releases({ section }: { readonly section: Section }): ReactElement {
  const { can } = useConsole();
  const chosen = useQueryParameter("release");
  const [deployed, setDeployed] = useState<string>();
  const [isComparing, setComparing] = useState(false);
  const isChosen = section.releases.some(({ version }) => version === chosen);
  const fitting = section.releases.filter(({ version }) => !isChosen || version === chosen).toReversed();
  const [shown, more] = useShown(fitting, SIZE, "releases");
  const mayDeploy = can("deploy", section.name) && section.candidate === null;
  return (
    <section aria-labelledby="releases" className="panel">
      <div className="panel-top">
        <h2 id="releases">Releases</h2>
        {isChosen && <a href={sectionHref(section.name)}>All releases</a>}
      </div>
      <Card className="flush">
        <Table
          caption={`Releases of ${section.name}, newest first`}
          columns={[["Version"], ["Size", "optional"], ["Published"], ACTIONS]}
        >
          {shown.map((release) => (
            <ReleaseRow
              key={release.version}
              release={release}
              section={section}
              deploy={mayDeploy ? setDeployed : undefined}
            />
          ))}
        </Table>
      </Card>
      {more}
      {can("deploy", section.name) && section.candidate !== null && (
        <p className="muted">Promote or abort the rollout before another deploy of this section.</p>
      )}
      {section.releases.length > 1 && (
        <Disclosure
          summary="Compare two releases"
          onToggle={({ currentTarget }) => {
            setComparing(currentTarget.open);
          }}
        >
          {isComparing && <Differences section={section} />}
        </Disclosure>
      )}
      {deployed !== undefined && (
        <DeployDialog
          section={section.name}
          version={deployed}
          close={() => {
            setDeployed(undefined);
          }}
        />
      )}
    </section>
  );
}

interface ReleaseRowProps {
  readonly release: SectionRelease;
  readonly section: Section;
  readonly deploy: ((version: string) => void) | undefined;
}

function ReleaseRow({ release, section, deploy }: ReleaseRowProps): ReactElement {
  const { version, publishedAt, bytes } = release;
  return (
    <tr>
      <th scope="row">
        <Version>{version}</Version> {version === section.live && <Badge>live</Badge>}
        {version === section.candidate && <Badge sample>candidate</Badge>}
      </th>
      <td className="nowrap optional">{bytesOf(bytes)}</td>
      <td className="muted">
        <Ago time={publishedAt} /> by {release.by} <Source source={release.source} />
      </td>
      <td className="end">
        {deploy && version !== section.live && (
          <Button
            quiet
            className="small"
            aria-label={`Deploy ${version}`}
            onClick={() => {
              deploy(version);
            }}
          >
            Deploy
          </Button>
        )}
      </td>
    </tr>
  );
}

/** The newest changes of a section. */
function Recent({ name }: { readonly name: string }): ReactElement {
  const { history } = useConsole();
  const { value, error } = useRead<HistoryPage>(`/history?limit=5&section=${name}`, history);
  return (
    <section aria-labelledby="recent" className="panel" aria-busy={!value && error === undefined}>
      <div className="panel-top">
        <h2 id="recent">Recent changes</h2>
        <a href={`${hrefOf("history")}?section=${encodeURIComponent(name)}`}>All changes of {name}</a>
      </div>
      <Unreadable what="changes" error={error} />
      {value && <ChangeList changes={value.entries} empty={noChangesOf(value.next)} section={name} />}
    </section>
  );
}

function Traffic({ name }: { readonly name: string }): ReactElement {
  const { traffic } = useConsole();
  return (
    <section aria-labelledby="traffic" className="panel">
      <h2 id="traffic">Traffic</h2>
      <TrafficRange />
      {sectionsOf(traffic).includes(name) ? (
        <SectionCharts section={name} />
      ) : (
        <p className="empty">There were no requests in this time.</p>
      )}
    </section>
  );
}

/** What a section contributes to others, and what others contribute to it. */
function Extensions({ name }: { readonly name: string }): ReactElement | null {
  const { extensions } = useConsole();
  const own = extensions.filter(({ section, point }) => section === name || point.startsWith(`${name}/`));
  if (own.length === 0) return null;
  return (
    <section aria-labelledby="extensions" className="panel">
      <h2 id="extensions">Extensions</h2>
      <Points extensions={own} level={3} />
    </section>
  );
}

/** The section does not exist, or the address is wrong. */
export function Unknown(): ReactElement {
  return (
    <Notice kind="error" title="There is no such page">
      <p>
        <a href={hrefOf("")}>Overview</a>
      </p>
    </Notice>
  );
}
