import { DEFAULT_LAYOUT, matchPath, type AnyPage, type PageProps } from "@colonnade/kit";
import type { Boot, RenderedView, ResolvedPage } from "@colonnade/kit/shell";
import { lazy, type ComponentType } from "react";

import { refetch } from "./federation";
import { loadPage } from "./loadPage";
import type { PinnedDeployment } from "./pinnedDeployment";
import { withTimeout } from "./timeout";
import type { View } from "./viewLoader";

const PAGE_TIMEOUT = 15_000;
const MIN_BACKOFF = 1_000;
const MAX_BACKOFF = 30_000;

/** Waits, but no longer than until the browser is back online. */
function backOff(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = new AbortController();
    const end = (): void => {
      clearTimeout(timer);
      done.abort();
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener("online", end, { signal: done.signal });
  });
}

/**
 * Loads the code of a server-rendered page, with retries until it succeeds. The page is readable without its code, so an
 * error message never replaces it.
 */
async function loadWithRetries(path: string, resolved: ResolvedPage, deployment: PinnedDeployment): Promise<AnyPage> {
  for (let wait = MIN_BACKOFF; ; wait = Math.min(wait * 2, MAX_BACKOFF)) {
    try {
      if (wait > MIN_BACKOFF) await refetch(resolved.section, resolved.assets);
      return (await withTimeout(loadPage(path, resolved), PAGE_TIMEOUT, `the page ${path}`)).page;
    } catch (error) {
      const status = await deployment.status(path);
      if (status === "gone") await deployment.reload();
      console.warn(`[shell] the section "${resolved.section.name}" failed to load and will be retried:`, error);
      if (status === "retained") deployment.report(resolved, "load", error);
    }
    await backOff(wait);
  }
}

/**
 * Creates the view of a server-rendered page. Its component suspends until the page's code is loaded; `onCodeLoaded` is
 * called just before. Undefined if the boot payload's page does not match the path.
 */
export function createServerView(
  boot: Boot,
  view: RenderedView,
  path: string,
  deployment: PinnedDeployment,
  onCodeLoaded: (page: AnyPage) => void,
): View | undefined {
  if (view.kind === "notFound") return view;
  const resolved = boot.page;
  const params = resolved && matchPath(resolved.pattern, path);
  if (!params) return undefined;
  // Starts now rather than on first render, in parallel to the hydration of the frame.
  const loading = loadWithRetries(path, resolved, deployment).then((page) => {
    onCodeLoaded(page);
    return { default: page.Component };
  });
  const Component = lazy<ComponentType<PageProps<never>>>(() => loading);
  return {
    kind: "page",
    section: resolved.section,
    pattern: resolved.pattern,
    layout: { ...DEFAULT_LAYOUT, ...view.layout },
    head: view.head,
    params,
    Component,
    props: { data: view.data as never, ...(boot.form && { form: boot.form }) },
  };
}
