import { ShellContext, type Boot, type ShellServices } from "@colonnade/kit/shell";
import { Suspense, useMemo, useState, type ReactElement } from "react";
import { BrowserRouter } from "react-router-dom";

import { Join, useJoinState } from "./join/Join";
import type { RenderedHtml } from "./loading/html";
import type { SlotLoader } from "./loading/slot";
import type { Tab } from "./loading/tab";
import type { Views } from "./loading/view";
import { Announcer } from "./navigation/Announcer";
import { useLinks } from "./navigation/links";
import type { ScrollMemory } from "./navigation/scroll";
import type { PageTransitions } from "./navigation/transition";
import { Screen, WAITING } from "./Screen";

/** What the application is made of; all of it outlives every render. */
export interface AppProps {
  readonly boot: Boot;
  readonly tab: Tab;
  readonly views: Views;
  readonly scroll: ScrollMemory;
  readonly transitions: PageTransitions;
  /** What the document came with of its page, if it came rendered. */
  readonly html: RenderedHtml | null;
  /** Null where no section fills the `join` slot: its buttons then lead to the sign-up page. */
  readonly join: SlotLoader | null;
}

/** The whole site, below a router. */
export function Site({ boot, tab, views, scroll, transitions, html, join }: AppProps): ReactElement {
  const [announcement, announce] = useState("");
  const joinState = useJoinState();
  const { open: openJoin } = joinState;
  const services = useMemo<ShellServices>(() => ({ site: boot.site, openJoin }), [boot, openJoin]);
  useLinks(views);
  return (
    <ShellContext value={services}>
      <Suspense fallback={WAITING}>
        <Screen
          views={views}
          tab={tab}
          scroll={scroll}
          transitions={transitions}
          html={html}
          announce={announce}
          image={boot.socialImage}
        />
      </Suspense>
      {join && <Join loader={join} tab={tab} state={joinState} />}
      <Announcer text={announcement} />
    </ShellContext>
  );
}

/** The whole site in a browser. */
export function App(props: AppProps): ReactElement {
  return (
    <BrowserRouter>
      <Site {...props} />
    </BrowserRouter>
  );
}
