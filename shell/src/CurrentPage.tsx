import { DEFAULT_LAYOUT, useSite } from "@colonnade/kit";
import { ParamsContext, type SocialImage } from "@colonnade/kit/shell";
import {
  memo,
  startTransition,
  use,
  useEffect,
  useLayoutEffect,
  useReducer,
  useState,
  type ReactElement,
  type ReactNode,
} from "react";
import { useLocation } from "react-router-dom";

import { Frame } from "./frame/Frame";
import { Loading } from "./frame/Loading";
import { NotFound } from "./frame/NotFound";
import { Offline } from "./frame/Offline";
import type { RetryButtonProps } from "./frame/RetryButton";
import { SectionFailed } from "./frame/SectionFailed";
import { applyHead, noindexHead } from "./head";
import type { PinnedDeployment } from "./loading/pinnedDeployment";
import type { ServerHtml } from "./loading/serverHtml";
import type { SlotLoader } from "./loading/slotLoader";
import { NO_STYLES, useStyles } from "./loading/styles";
import type { PageView, View, Views } from "./loading/viewLoader";
import { restoreFocusAfterHydration, useNavigationEffects } from "./navigation/navigationEffects";
import type { ScrollRestoration } from "./navigation/scrollRestoration";
import type { ViewTransitions } from "./navigation/viewTransitions";
import { SearchSlot } from "./search/SearchSlot";
import { SectionErrorBoundary } from "./SectionErrorBoundary";
import { SectionRoot } from "./SectionRoot";

interface CurrentPageProps {
  readonly views: Views;
  readonly deployment: PinnedDeployment;
  readonly scroll: ScrollRestoration;
  readonly transitions: ViewTransitions;
  readonly serverHtml: ServerHtml | null;
  readonly announce: (text: string) => void;
  readonly image: SocialImage | undefined;
  readonly search: SlotLoader | null;
}

/**
 * The view of a path, or null while the first view of this document loads: the frame must not be replaced then, since
 * the visitor may be using it. Later views suspend, so the current page stays until the next one is loaded. A
 * server-rendered view is available at once.
 */
function useView(views: Views, path: string, entry: string, transitions: ViewTransitions): View | null {
  const loading = views.load(path);
  const serverView = views.serverView(path);
  const [hasLoaded, setHasLoaded] = useState(serverView !== undefined);
  useEffect(() => {
    if (hasLoaded) return undefined;
    let active = true;
    void loading.then(() => {
      if (!active) return;
      startTransition(() => {
        setHasLoaded(true);
      });
    });
    return () => {
      active = false;
    };
  }, [loading, hasLoaded]);
  if (serverView && transitions.isCurrent(path)) return serverView;
  return hasLoaded ? use(transitions.prepare(entry, path, loading)) : null;
}

function useHead(view: View | null, image: SocialImage | undefined): void {
  const { brand, origin } = useSite();
  useEffect(() => {
    if (!view) return;
    if (view.kind === "page") applyHead(view.head, origin, image);
    else
      applyHead(noindexHead(`${view.kind === "notFound" ? view.heading : "Unavailable right now"} - ${brand}`), origin);
  }, [view, brand, origin, image]);
}

/** The frame with a loading indicator in place of the page. */
export const LOADING_FRAME = (
  <Frame layout={{ ...DEFAULT_LAYOUT, header: "plain" }}>
    <Loading />
  </Frame>
);

/**
 * The page at the current URL, in its frame. Suspends while it loads, except for the first page. Memoized: while a page loads,
 * an update outside of a transition would replace it by the fallback.
 */
export const CurrentPage = memo(function CurrentPage({
  views,
  deployment,
  scroll,
  transitions,
  serverHtml,
  announce,
  image,
  search,
}: CurrentPageProps): ReactElement {
  const { pathname, key } = useLocation();
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  const view = useView(views, pathname, key, transitions);
  useHead(view, image);
  useStyles(view?.kind === "page" ? view.assets : NO_STYLES);
  const isServerRendered = view !== null && view === views.serverView(pathname);
  useNavigationEffects(view, scroll, transitions, announce, isServerRendered);
  useEffect(() => {
    if (view) views.setCurrent(pathname);
  }, [views, view, pathname, key]);

  if (!view) return LOADING_FRAME;
  if (view.kind === "notFound") {
    return (
      <Frame layout={DEFAULT_LAYOUT}>
        <NotFound heading={view.heading}>
          <SearchSlot loader={search} deployment={deployment} />
        </NotFound>
      </Frame>
    );
  }
  if (view.kind === "failed") {
    const retry = (): void => {
      views.invalidate(pathname);
      renderAgain();
    };
    return (
      <Frame layout={DEFAULT_LAYOUT} currentPath={pathname}>
        {navigator.onLine ? <SectionFailed retry={retry} /> : <Offline retry={retry} />}
      </Frame>
    );
  }
  return (
    <Frame layout={view.layout} currentPath={pathname}>
      <Page
        key={`${view.section.name} ${pathname}`}
        view={view}
        deployment={deployment}
        serverHtml={isServerRendered ? serverHtml : null}
        scroll={isServerRendered ? scroll : null}
      />
    </Frame>
  );
});

function showSectionFailed(retry: RetryButtonProps["retry"]): ReactNode {
  return <SectionFailed retry={retry} />;
}

/**
 * A section's page in its error boundary. Memoized: an update that reaches a server-rendered page before it hydrates
 * makes React discard its HTML.
 */
const Page = memo(function Page({
  view,
  deployment,
  serverHtml,
  scroll,
}: {
  readonly view: PageView;
  readonly deployment: PinnedDeployment;
  /** Null unless the page is server-rendered. */
  readonly serverHtml: ServerHtml | null;
  /** Null unless the page is server-rendered. */
  readonly scroll: ScrollRestoration | null;
}): ReactElement {
  const { Component, params, props, section, pattern } = view;
  return (
    <SectionErrorBoundary
      section={section}
      pattern={pattern}
      deployment={deployment}
      loading={<Loading />}
      fallback={showSectionFailed}
      serverHtml={serverHtml}
    >
      <SectionRoot name={section.name}>
        <ParamsContext value={params}>
          <Component {...props} />
        </ParamsContext>
      </SectionRoot>
      {scroll && <HydrationEffect scroll={scroll} serverHtml={serverHtml} />}
    </SectionErrorBoundary>
  );
});

/** Runs when the Suspense boundary around it hydrates. */
function HydrationEffect({
  scroll,
  serverHtml,
}: {
  readonly scroll: ScrollRestoration;
  readonly serverHtml: ServerHtml | null;
}): null {
  useLayoutEffect(() => {
    serverHtml?.markHydrated();
    scroll.restoreAfterHydration();
    restoreFocusAfterHydration();
  }, [serverHtml, scroll]);
  return null;
}
