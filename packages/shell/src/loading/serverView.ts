import { matchPath, type AnyPage, type PageProps } from "@colonnade/kit";
import type { Boot, ResolvedPage } from "@colonnade/kit/shell";
import { lazy, type ComponentType } from "react";

import { assetsOf } from "./assets.js";
import { refetch } from "./federation.js";
import { loadPage } from "./loadPage.js";
import type { PinnedDeployment } from "./pinnedDeployment.js";
import { isCurrentPath } from "./reload.js";
import { loadWithRetries } from "./retries.js";
import { viewTimeout, withTimeout } from "./timeout.js";
import type { View } from "./viewLoader.js";

/** Loads the code of a server-rendered page. The page is readable without it, so an error message never replaces it. */
async function loadCode(
  path: string,
  resolved: ResolvedPage,
  deployment: PinnedDeployment,
  left: AbortSignal,
): Promise<AnyPage> {
  const load = async (isRetry: boolean): Promise<AnyPage> => {
    // Nothing shows this view again.
    if (left.aborted) return new Promise<never>(() => undefined);
    if (isRetry) await refetch(resolved.section, resolved.assets);
    return (await withTimeout(loadPage(path, resolved), viewTimeout(resolved.bytes), `the page ${path}`)).page;
  };
  return loadWithRetries(load, async (error) => {
    const status = await deployment.status(path);
    if (status === "gone" && isCurrentPath(path)) await deployment.reload();
    console.warn(`[shell] the section "${resolved.section.name}" failed to load and will be retried:`, error);
    if (status === "retained") deployment.report(resolved, "load", error);
  });
}

/**
 * Creates the view of a server-rendered page. Its component suspends until the page's code is loaded; `onCodeLoaded` is
 * called just before. Once `left` is aborted, no further attempt to load it begins. Undefined if the boot payload has no view,
 * or its page does not match the path.
 */
export function createServerView(
  boot: Boot,
  path: string,
  deployment: PinnedDeployment,
  left: AbortSignal,
  onCodeLoaded: (page: AnyPage) => void,
): View | undefined {
  const { view, page: resolved } = boot;
  if (view?.kind !== "page") return view;
  const params = resolved && matchPath(resolved.pattern, path);
  if (!params) return undefined;
  // Starts now rather than on first render, in parallel to the hydration of the frame.
  const loading = loadCode(path, resolved, deployment, left).then((page) => {
    onCodeLoaded(page);
    return { default: page.Component };
  });
  const Component = lazy<ComponentType<PageProps<never>>>(() => loading);
  return {
    kind: "page",
    section: resolved.section,
    pattern: resolved.pattern,
    assets: assetsOf(resolved),
    layout: view.layout,
    head: view.head,
    params,
    Component,
    props: { data: view.data as never, ...(boot.form && { form: boot.form }) },
    extensions: resolved.extensions,
  };
}
