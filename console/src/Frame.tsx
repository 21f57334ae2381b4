import { Button, Notice } from "@colonnade/design";
import { useEffect, useMemo, useRef, useState, type ReactElement, type RefObject } from "react";

import { ConsoleProvider, permissionsOf, permits, useData, type Loaded, type Outcome } from "./data.js";
import { dateOf, timeOf } from "./format.js";
import { Deployments } from "./pages/Deployments.js";
import { Extensions } from "./pages/Extensions.js";
import { Gateways } from "./pages/Gateways.js";
import { History } from "./pages/History.js";
import { Overview } from "./pages/Overview.js";
import { SectionPage, Unknown } from "./pages/Section.js";
import { Sections } from "./pages/Sections.js";
import { TrafficPage } from "./pages/Traffic.js";
import { Search } from "./parts/SearchDialog.js";
import { hrefOf, useLinks, usePlace, type Place } from "./router.js";
import { Message } from "./parts/Message.js";
import type { SessionDescription } from "./openapi.js";

const PAGES = [
  { page: "", label: "Overview", Page: Overview },
  { page: "sections", label: "Sections", Page: Sections },
  { page: "extensions", label: "Extensions", Page: Extensions },
  { page: "traffic", label: "Traffic", Page: TrafficPage },
  { page: "history", label: "History", Page: History },
  { page: "deployments", label: "Deployments", Page: Deployments },
  { page: "gateways", label: "Gateways", Page: Gateways },
] as const;

/** The page at an address: its name, its entry in the navigation, and its contents. */
function pageAt({ page, name }: Place): {
  readonly label: string;
  readonly entry: string;
  readonly contents: ReactElement;
} {
  const known = PAGES.find((each) => each.page === page);
  if (page === "sections" && name !== undefined) {
    return { label: name, entry: page, contents: <SectionPage key={name} name={name} /> };
  }
  if (!known || name !== undefined) return { label: "Not found", entry: "", contents: <Unknown /> };
  return { label: known.label, entry: page, contents: <known.Page /> };
}

interface FrameProps {
  readonly session: SessionDescription;
  readonly onSignedOut: () => void;
  readonly signOut: () => Promise<void>;
}

/** The header, the navigation and the current page. */
export function Frame({ session, onSignedOut, signOut }: FrameProps): ReactElement {
  const place = usePlace();
  const { label, entry, contents } = pageAt(place);
  useLinks();
  const [said, setSaid] = useState<Said>();
  const outcome = said?.path === place.path ? said.outcome : undefined;
  const loaded = useData(onSignedOut);
  const main = useRef<HTMLElement>(null);
  usePageFocus(main, label, outcome);
  const { data, range, setRange, reload } = loaded;
  const value = useMemo(
    () =>
      data && {
        ...data,
        session,
        range,
        setRange,
        reload,
        announce: (done: Outcome) => {
          setSaid({ path: location.pathname, outcome: done });
        },
        can: (action: string, section: string) => permits(session, action, section),
      },
    [data, session, range, setRange, reload],
  );

  return (
    <>
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      <Header session={session} signOut={signOut} loaded={loaded} place={place} entry={entry} />
      <main id="main" ref={main} tabIndex={-1} aria-busy={!data && loaded.error === null}>
        <h1 tabIndex={-1}>{label}</h1>
        <DataState {...loaded} />
        <div role="status" className="said">
          {outcome && (
            <OutcomeNotice
              outcome={outcome}
              close={() => {
                setSaid(undefined);
              }}
            />
          )}
        </div>
        {value ? <ConsoleProvider value={value}>{contents}</ConsoleProvider> : loaded.error === null && <Skeleton />}
      </main>
    </>
  );
}

/** Names the document after its page, and focuses the heading of a new page, or if a change removed what was focused. */
function usePageFocus(main: RefObject<HTMLElement | null>, label: string, outcome: Outcome | undefined): void {
  const shown = useRef(label);
  useEffect(() => {
    document.title = `${label} – Colonnade console`;
    if (shown.current !== label) {
      window.scrollTo(0, 0);
      main.current?.querySelector("h1")?.focus();
    }
    shown.current = label;
  }, [main, label]);
  useEffect(() => {
    if (outcome && document.activeElement === document.body) main.current?.querySelector("h1")?.focus();
  }, [main, outcome]);
}

interface HeaderProps extends Pick<FrameProps, "session" | "signOut"> {
  readonly loaded: Loaded;
  readonly place: Place;
  /** The entry of the navigation that the page belongs to. */
  readonly entry: string;
}

function Header({ session, signOut, loaded, place, entry }: HeaderProps): ReactElement {
  const { data } = loaded;
  return (
    <header className="top">
      <div className="top-line">
        <p className="brand">Colonnade</p>
        {data && (
          <a className="site" href={data.deployments.url} rel="noreferrer" target="_blank">
            {new URL(data.deployments.url).host}
            <span className="visually-hidden"> (opens the site in a new tab)</span>
          </a>
        )}
        {data && (
          <Search
            searched={{
              pages: PAGES,
              sections: data.sections,
              deployments: data.deployments.deployments,
              live: data.deployments.live,
              newest: data.deployments.deployments.at(-1)?.number ?? 0,
            }}
          />
        )}
        <ConnectionState {...loaded} />
        <p className="account" title={permissionsOf(session)}>
          {session.token}
        </p>
        <SignOutButton signOut={signOut} />
      </div>
      <nav aria-label="Console">
        <ul>
          {PAGES.map((page) => (
            <li key={page.page}>
              <a href={hrefOf(page.page)} aria-current={currentOf(page.page, place, entry)}>
                {page.label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  );
}

/** Whether an entry of the navigation is the page, or the page is below it. */
function currentOf(page: string, place: Place, entry: string): "page" | "true" | undefined {
  if (page !== entry || (entry === "" && place.page !== "")) return undefined;
  return place.name === undefined ? "page" : "true";
}

/** What a change did, on the page where it was made. */
interface Said {
  readonly path: string;
  readonly outcome: Outcome;
}

interface OutcomeNoticeProps {
  readonly outcome: Outcome;
  readonly close: () => void;
}

function OutcomeNotice({ outcome: { text, warnings = [] }, close }: OutcomeNoticeProps): ReactElement {
  return (
    <Notice kind="success" title={text}>
      {warnings.length > 0 && (
        <ul>
          {warnings.map((warning) => (
            <li key={warning}>
              <Message>{warning}</Message>
            </li>
          ))}
        </ul>
      )}
      <Button quiet className="small" onClick={close}>
        Hide
      </Button>
    </Notice>
  );
}

function SignOutButton({ signOut }: Pick<FrameProps, "signOut">): ReactElement {
  const [busy, setBusy] = useState(false);
  return (
    <Button
      quiet
      className="small"
      busy={busy}
      onClick={() => {
        setBusy(true);
        void signOut();
      }}
    >
      Sign out
    </Button>
  );
}

/** Whether events arrive, in one word. */
function ConnectionState({ connection, data, error }: Loaded): ReactElement {
  const state = connection === "live" && (error !== null || !data) ? "connecting" : connection;
  const text = { live: "Connected", connecting: "Connecting", lost: "Offline" }[state];
  return (
    <p className={`connection ${state}`} role="status">
      {text}
    </p>
  );
}

/** Says that the data is not current, and why. */
function DataState({ connection, error, data, currentAt, reload }: Loaded): ReactElement | null {
  if (connection === "lost") {
    return (
      <Notice kind="error" role="alert" title="The connection to the gateway is lost">
        <p>
          {data ? (
            <>
              The page shows the state of <time title={dateOf(currentAt)}>{timeOf(currentAt)}</time> and may be out of
              date.
            </>
          ) : (
            <span>There is no data yet.</span>
          )}{" "}
          The console reconnects by itself.
        </p>
      </Notice>
    );
  }
  if (error === null) return null;
  return (
    <Notice kind="error" role="alert" title="The state cannot be read">
      <p>
        <Message>{error}</Message>
      </p>
      <Button quiet className="small" onClick={() => void reload()}>
        Try again
      </Button>
    </Notice>
  );
}

function Skeleton(): ReactElement {
  return (
    <div className="skeleton" role="status">
      <span className="visually-hidden">Loading…</span>
      <div />
      <div />
      <div />
    </div>
  );
}
