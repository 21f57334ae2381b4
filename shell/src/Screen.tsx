import { DEFAULT_LAYOUT, useSite } from "@colonnade/kit";
import { ParamsContext } from "@colonnade/kit/shell";
import { Suspense, use, useEffect, useReducer, type ReactElement } from "react";
import { useLocation } from "react-router-dom";

import { Frame } from "./frame/Frame";
import { Loading } from "./frame/Loading";
import { NotFound } from "./frame/NotFound";
import { SectionFailed } from "./frame/SectionFailed";
import { applyHead, plainHead } from "./head";
import type { View, Views } from "./loading/view";
import { useArrival } from "./navigation/arrival";
import type { ScrollMemory } from "./navigation/scroll";
import { SectionBoundary } from "./SectionBoundary";

/** Props of {@link Screen}. */
export interface ScreenProps {
  readonly views: Views;
  readonly scroll: ScrollMemory;
  readonly announce: (text: string) => void;
}

function useHead(view: View): void {
  const { brand, origin } = useSite();
  useEffect(() => {
    if (view.kind === "page") applyHead(view.head, origin);
    else
      applyHead(plainHead(`${view.kind === "notFound" ? view.heading : "Unavailable right now"} - ${brand}`), origin);
  }, [view, brand, origin]);
}

/** The page at the current address, in its frame. Suspends until it is there. */
export function Screen({ views, scroll, announce }: ScreenProps): ReactElement {
  const { pathname } = useLocation();
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  const view = use(views.view(pathname));
  useHead(view);
  useArrival(view, scroll, announce);
  // Coming back to a page that failed is another attempt.
  useEffect(
    () => () => {
      views.retry(pathname);
    },
    [views, pathname],
  );

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
      <Frame layout={DEFAULT_LAYOUT}>
        <SectionFailed retry={retry} />
      </Frame>
    );
  }
  const { Component, layout, params, props, section } = view;
  return (
    <Frame layout={layout}>
      <SectionBoundary key={`${section} ${pathname}`} section={section}>
        <Suspense fallback={<Loading />}>
          <ParamsContext value={params}>
            <Component {...props} />
          </ParamsContext>
        </Suspense>
      </SectionBoundary>
    </Frame>
  );
}
