import { pathTo, useSite } from "@colonnade/kit";
import {
  clearChannels,
  PageContext,
  type PageServices,
  type ResolvedExtensions,
  type SocialImage,
} from "@colonnade/kit/shell";
import {
  memo,
  startTransition,
  use,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useReducer,
  useState,
  type ReactElement,
} from "react";
import { useLocation } from "react-router-dom";

import { ViewExtensions } from "./extensions/viewExtensions.js";
import { applyHead, noindexHead, titleOf } from "./head.js";
import type { PinnedDeployment } from "./loading/pinnedDeployment.js";
import type { ServerHtml } from "./loading/serverHtml.js";
import { NO_STYLES, useStyles } from "./loading/styles.js";
import type { PageView, View, Views } from "./loading/view.js";
import { viewPath } from "./loading/reload.js";
import { restoreFocusAfterHydration, useNavigationEffects } from "./navigation/navigationEffects.js";
import type { ScrollRestoration } from "./navigation/scrollRestoration.js";
import type { ViewTransitions } from "./navigation/viewTransitions.js";
import { titlesOf, type RetryProps, type ShellParts } from "./parts.js";
import { SectionErrorBoundary } from "./SectionErrorBoundary.js";
import { SectionRoot } from "./SectionRoot.js";

const NO_LAYOUT = {};

interface CurrentPageProps {
  readonly parts: ShellParts;
  readonly views: Views;
  readonly deployment: PinnedDeployment;
  readonly scroll: ScrollRestoration;
  readonly transitions: ViewTransitions;
  readonly serverHtml: ServerHtml | null;
  readonly announce: (text: string) => void;
  readonly image: SocialImage | undefined;
  /** Those of the shell's points. */
  readonly extensions: ResolvedExtensions | undefined;
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

function useHead(parts: ShellParts, view: View | null, image: SocialImage | undefined): void {
  const site = useSite();
  useEffect(() => {
    if (view?.kind === "page") applyHead(view.head, site, image);
    else if (view) applyHead(noindexHead(titleOf(parts, view, site)), site);
  }, [parts, view, site, image]);
}

type InView = (content: ReactElement) => ReactElement;

const NO_PAGE: PageServices = { params: {} };
const NOT_FOUND: PageServices = { pattern: null, params: {} };

/** Returns a function that gives the frame the page, and places their extensions. */
function useInView(view: View | null, ofShell: ResolvedExtensions | undefined, isServerRendered: boolean): InView {
  const ofPage = view?.kind === "page" ? view.extensions : undefined;
  // Stable, as the rest: see `Page`.
  const value = useMemo(
    () => ({ extensions: { ...ofShell, ...ofPage }, isServerRendered }),
    [ofShell, ofPage, isServerRendered],
  );
  const page = view?.kind === "notFound" ? NOT_FOUND : view?.kind === "page" ? view : NO_PAGE;
  return (content) => (
    <ViewExtensions value={value}>
      <PageContext value={page}>{content}</PageContext>
    </ViewExtensions>
  );
}

interface LoadingFrameProps {
  readonly parts: ShellParts;
}

/** The frame with a loading indicator in place of the page. */
export function LoadingFrame({
  parts: { Frame, Loading, loadingLayout = NO_LAYOUT },
}: LoadingFrameProps): ReactElement {
  return (
    <Frame layout={loadingLayout}>
      <Loading />
    </Frame>
  );
}

/** Retries when the browser is online again. */
function RetryOnline({ retry }: RetryProps): null {
  const onOnline = useEffectEvent(() => {
    startTransition(retry);
  });
  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    addEventListener(
      "online",
      () => {
        onOnline();
      },
      { signal },
    );
    return () => {
      listeners.abort();
    };
  }, []);
  return null;
}

/**
 * The page at the current URL, in its frame. Suspends while it loads, except for the first page. Memoized: while a page loads,
 * an update outside of a transition would replace it by the fallback.
 */
export const CurrentPage = memo(function CurrentPage({
  parts,
  views,
  deployment,
  scroll,
  transitions,
  serverHtml,
  announce,
  image,
  extensions,
}: CurrentPageProps): ReactElement {
  const { Frame, NotFound, Failed, Offline } = parts;
  const at = useLocation();
  const { pathname, key } = at;
  const path = viewPath(at);
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  const view = useView(views, path, key, transitions);
  // An app with a router of its own stays while the rest of the path changes.
  const page =
    view?.kind === "page" ? `${view.section.name} ${pathTo(view.pattern, { ...view.params, "*": "" })}` : pathname;
  // React cleans up before the effects of the next page.
  useLayoutEffect(() => clearChannels, [page]);
  useHead(parts, view, image);
  useStyles(view?.kind === "page" ? view.assets : NO_STYLES);
  const isServerRendered = view !== null && view === views.serverView(path);
  useNavigationEffects(view, scroll, transitions, announce, isServerRendered);
  // Before the visitor can go back.
  useLayoutEffect(() => {
    if (view) views.setCurrent(path);
  }, [views, view, path, key]);

  const inView = useInView(view, extensions, isServerRendered);
  if (!view) return inView(<LoadingFrame parts={parts} />);
  if (view.kind === "notFound") {
    return inView(
      <Frame layout={NO_LAYOUT}>
        <NotFound heading={titlesOf(parts).notFound} {...view} />
      </Frame>,
    );
  }
  if (view.kind === "failed") {
    const retry = (): void => {
      views.invalidate(path);
      renderAgain();
    };
    return inView(
      <Frame layout={NO_LAYOUT} currentPath={pathname}>
        {navigator.onLine ? (
          <Failed retry={retry} />
        ) : (
          <>
            <Offline retry={retry} />
            <RetryOnline retry={retry} />
          </>
        )}
      </Frame>,
    );
  }
  return inView(
    <Frame layout={view.layout} currentPath={pathname}>
      <Page
        key={page}
        parts={parts}
        view={view}
        deployment={deployment}
        serverHtml={isServerRendered ? serverHtml : null}
        scroll={isServerRendered ? scroll : null}
      />
    </Frame>,
  );
});

/**
 * A section's page in its error boundary. Memoized: an update that reaches a server-rendered page before it hydrates
 * makes React discard its HTML.
 */
const Page = memo(function Page({
  parts: { Loading, Failed },
  view,
  deployment,
  serverHtml,
  scroll,
}: {
  readonly parts: ShellParts;
  readonly view: PageView;
  readonly deployment: PinnedDeployment;
  /** Null unless the page is server-rendered. */
  readonly serverHtml: ServerHtml | null;
  /** Null unless the page is server-rendered. */
  readonly scroll: ScrollRestoration | null;
}): ReactElement {
  const { Component, props, section, pattern } = view;
  const showFailed = useCallback((retry: RetryProps["retry"]) => <Failed retry={retry} />, [Failed]);
  return (
    <SectionErrorBoundary
      section={section}
      pattern={pattern}
      deployment={deployment}
      loading={<Loading />}
      fallback={showFailed}
      serverHtml={serverHtml}
    >
      <SectionRoot name={section.name}>
        <Component {...props} />
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
