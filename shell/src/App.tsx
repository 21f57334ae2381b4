import { ShellContext, type Boot, type ShellServices } from "@colonnade/kit/shell";
import { Suspense, useMemo, useState, type ReactElement } from "react";

import { CurrentPage, LOADING_FRAME } from "./CurrentPage";
import { JoinDialog, useJoinState } from "./join/JoinDialog";
import type { PinnedDeployment } from "./loading/pinnedDeployment";
import type { ServerHtml } from "./loading/serverHtml";
import type { SlotLoader } from "./loading/slotLoader";
import type { Views } from "./loading/viewLoader";
import { Announcer } from "./navigation/Announcer";
import { useLinks } from "./navigation/links";
import type { ScrollRestoration } from "./navigation/scrollRestoration";
import type { ViewTransitions } from "./navigation/viewTransitions";

/** Props of {@link App}. They never change. */
export interface AppProps {
  readonly boot: Boot;
  readonly deployment: PinnedDeployment;
  readonly views: Views;
  readonly scroll: ScrollRestoration;
  readonly transitions: ViewTransitions;
  /** The page's server-rendered HTML, if the document includes it. */
  readonly serverHtml: ServerHtml | null;
  /** Null if no section fills the `join` slot: join buttons then lead to the sign-up page. */
  readonly join: SlotLoader | null;
  /** Null if no section fills the `search` slot: the not-found page then has no search. */
  readonly search: SlotLoader | null;
}

/** The whole site. Must be rendered in a router. */
export function App({
  boot,
  deployment,
  views,
  scroll,
  transitions,
  serverHtml,
  join,
  search,
}: AppProps): ReactElement {
  const [announcement, announce] = useState("");
  const joinState = useJoinState();
  const { open: openJoin } = joinState;
  const services = useMemo<ShellServices>(() => ({ site: boot.site, openJoin }), [boot, openJoin]);
  useLinks(views);
  return (
    <ShellContext value={services}>
      <Suspense fallback={LOADING_FRAME}>
        <CurrentPage
          views={views}
          deployment={deployment}
          scroll={scroll}
          transitions={transitions}
          serverHtml={serverHtml}
          announce={announce}
          image={boot.socialImage}
          search={search}
        />
      </Suspense>
      {join && <JoinDialog loader={join} deployment={deployment} state={joinState} />}
      <Announcer text={announcement} />
    </ShellContext>
  );
}
