import { DEFAULT_LAYOUT, useSite } from "@colonnade/kit";
import { ParamsContext, type SocialImage } from "@colonnade/kit/shell";
import {
  memo,
  startTransition,
  Suspense,
  use,
  useEffect,
  useLayoutEffect,
  useReducer,
  useState,
  type ReactElement,
} from "react";
import { useLocation } from "react-router-dom";

import { Frame } from "./frame/Frame";
import { Loading } from "./frame/Loading";
import { NotFound } from "./frame/NotFound";
import { Offline } from "./frame/Offline";
import { SectionFailed } from "./frame/SectionFailed";
import { applyHead, plainHead } from "./head";
import type { RenderedHtml } from "./loading/html";
import type { Tab } from "./loading/tab";
import type { PageView, View, Views } from "./loading/view";
import { useArrival } from "./navigation/arrival";
import type { ScrollMemory } from "./navigation/scroll";
import type { PageTransitions } from "./navigation/transition";
import { SectionBoundary } from "./SectionBoundary";

/** Props of {@link Screen}. */
export interface ScreenProps {
  readonly views: Views;
  readonly tab: Tab;
  readonly scroll: ScrollMemory;
  readonly transitions: PageTransitions;
  readonly html: RenderedHtml | null;
  readonly announce: (text: string) => void;
  readonly image: SocialImage | undefined;
}

/**
 * The view of a path, or null until the first one of this document is there. Later ones suspend: what is shown
 * stays until they are there, whereas at first there is only the frame, which must stay the same, since a visitor
 * may be in the middle of using it when the page arrives. A page that came rendered is there at once.
 */
function useView(views: Views, path: string, entry: string, transitions: PageTransitions): View | null {
  const viewing = views.view(path);
  const rendered = views.rendered(path);
  const [arrived, setArrived] = useState(rendered !== undefined);
  useEffect(() => {
    if (arrived) return undefined;
    let current = true;
    void viewing.then(() => {
      if (!current) return;
      startTransition(() => {
        setArrived(true);
      });
    });
    return () => {
      current = false;
    };
  }, [viewing, arrived]);
  if (rendered && transitions.shows(path)) return rendered;
  return arrived ? use(transitions.prepare(entry, path, viewing)) : null;
}

function useHead(view: View | null, image: SocialImage | undefined): void {
  const { brand, origin } = useSite();
  useEffect(() => {
    if (!view) return;
    if (view.kind === "page") applyHead(view.head, origin, image);
    else
      applyHead(plainHead(`${view.kind === "notFound" ? view.heading : "Unavailable right now"} - ${brand}`), origin);
  }, [view, brand, origin, image]);
}

/** Stands in for a page that is on its way, frame and all. */
export const WAITING = (
  <Frame layout={{ ...DEFAULT_LAYOUT, header: "plain" }}>
    <Loading />
  </Frame>
);

/** The page at the current address, in its frame. Suspends until it is there, but for the first one. */
export function Screen({ views, tab, scroll, transitions, html, announce, image }: ScreenProps): ReactElement {
  const { pathname, key } = useLocation();
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  const view = useView(views, pathname, key, transitions);
  useHead(view, image);
  const cameRendered = view !== null && view === views.rendered(pathname);
  useArrival(view, scroll, transitions, announce, cameRendered);
  useEffect(() => {
    views.shows(pathname);
    return () => {
      // Coming back to a page that failed is another attempt.
      views.retry(pathname);
    };
  }, [views, pathname]);

  if (!view) return WAITING;
  if (view.kind === "notFound") {
    return (
      <Frame layout={DEFAULT_LAYOUT}>
        <NotFound heading={view.heading} />
      </Frame>
    );
  }
  if (view.kind === "failed") {
    const retry = (): void => {
      views.retry(pathname);
      renderAgain();
    };
    return (
      <Frame layout={DEFAULT_LAYOUT} here={pathname}>
        {navigator.onLine ? <SectionFailed retry={retry} /> : <Offline retry={retry} />}
      </Frame>
    );
  }
  const came = cameRendered ? { html, late: scroll } : { html: null, late: null };
  return (
    <Frame layout={view.layout} here={pathname}>
      <Page key={`${view.section.name} ${pathname}`} view={view} tab={tab} {...came} />
    </Frame>
  );
}

/**
 * A section's page within its boundary. It is drawn again only for another view: an update that reached a page that
 * came rendered before its code has, would have React throw the rendered page away.
 */
const Page = memo(function Page({
  view,
  tab,
  html,
  late,
}: {
  readonly view: PageView;
  readonly tab: Tab;
  /** What the page came with. */
  readonly html: RenderedHtml | null;
  /** Where the page was left, if its code comes later than what is to be read of it. */
  readonly late: ScrollMemory | null;
}): ReactElement {
  const { Component, params, props, section } = view;
  return (
    <SectionBoundary section={section} tab={tab} html={html}>
      <Suspense fallback={<Loading />}>
        <ParamsContext value={params}>
          <Component {...props} />
        </ParamsContext>
        {late && <Settle scroll={late} html={html} />}
      </Suspense>
    </SectionBoundary>
  );
});

/** Says when the page beside it has been taken over. */
function Settle({ scroll, html }: { readonly scroll: ScrollMemory; readonly html: RenderedHtml | null }): null {
  useLayoutEffect(() => {
    html?.takeOver();
    scroll.settle();
  }, [html, scroll]);
  return null;
}
