import { Button, Notice } from "@colonnade/design";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactElement } from "react";

import { ConsoleProvider, permits, useData, type Loaded } from "./data.js";
import { dateOf, timeOf } from "./format.js";
import { Deployments } from "./pages/Deployments.js";
import { Extensions } from "./pages/Extensions.js";
import { Gateway } from "./pages/Gateway.js";
import { History } from "./pages/History.js";
import { Overview } from "./pages/Overview.js";
import { Releases } from "./pages/Releases.js";
import { TrafficPage } from "./pages/Traffic.js";
import type { SessionDescription } from "./openapi.js";

const PAGES = [
  { hash: "#/", label: "Overview", Page: Overview },
  { hash: "#/releases", label: "Releases", Page: Releases },
  { hash: "#/extensions", label: "Extensions", Page: Extensions },
  { hash: "#/traffic", label: "Traffic", Page: TrafficPage },
  { hash: "#/history", label: "History", Page: History },
  { hash: "#/deployments", label: "Deployments", Page: Deployments },
  { hash: "#/gateway", label: "Gateway", Page: Gateway },
] as const;

function subscribe(onChange: () => void): () => void {
  window.addEventListener("hashchange", onChange);
  return () => {
    window.removeEventListener("hashchange", onChange);
  };
}

interface FrameProps {
  readonly session: SessionDescription;
  readonly onSignedOut: () => void;
  readonly signOut: () => Promise<void>;
}

/** The header, the navigation and the current page. */
export function Frame({ session, onSignedOut, signOut }: FrameProps): ReactElement {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  const current = PAGES.find((page) => page.hash === hash) ?? PAGES[0];
  const loaded = useData(onSignedOut);
  const main = useRef<HTMLElement>(null);
  const shown = useRef(current);
  useEffect(() => {
    document.title = `${current.label} – Colonnade console`;
    if (shown.current !== current) main.current?.querySelector("h1")?.focus();
    shown.current = current;
  }, [current]);
  const { data, range, setRange, reload } = loaded;
  const value = useMemo(
    () =>
      data && {
        ...data,
        session,
        range,
        setRange,
        reload,
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
      <header className="top">
        <div className="top-line">
          <p className="brand">Colonnade</p>
          {data && (
            <a className="site" href={data.deployments.url} rel="noreferrer" target="_blank">
              {new URL(data.deployments.url).host}
              <span className="visually-hidden"> (opens the site in a new tab)</span>
            </a>
          )}
          <ConnectionState {...loaded} />
          <p
            className="account"
            title={`Sections: ${session.sections.join(", ")}. Actions: ${session.actions.join(", ")}.`}
          >
            {session.token}
          </p>
          <SignOutButton signOut={signOut} />
        </div>
        <nav aria-label="Console">
          <ul>
            {PAGES.map((page) => (
              <li key={page.hash}>
                <a href={page.hash} aria-current={page === current ? "page" : undefined}>
                  {page.label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="main" ref={main} tabIndex={-1} aria-busy={!data && loaded.error === null}>
        <h1 tabIndex={-1}>{current.label}</h1>
        <DataState {...loaded} />
        {value ? (
          <ConsoleProvider value={value}>
            <current.Page />
          </ConsoleProvider>
        ) : (
          loaded.error === null && <Skeleton />
        )}
      </main>
    </>
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
  const text = { live: "Live", connecting: "Connecting", lost: "Offline" }[state];
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
      <p>{error}</p>
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
