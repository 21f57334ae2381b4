import { matchPath, type AnyPage, type PageProps } from "@colonnade/kit";
import type { Boot, ResolvedPage } from "@colonnade/kit/shell";
import { lazy, type ComponentType } from "react";

import { assetsOf } from "./assets.js";
import { loadPage, type LoadedPage } from "./loadPage.js";
import type { PinnedDeployment } from "./pinnedDeployment.js";
import { isCurrentPath, pathnameOf } from "./reload.js";
import { loadCode } from "./retries.js";
import type { View } from "./view.js";

/** Loads the code of a server-rendered page. The page is readable without it, so an error message never replaces it. */
function loadPageCode(
  path: string,
  resolved: ResolvedPage,
  deployment: PinnedDeployment,
  left: AbortSignal,
): Promise<LoadedPage> {
  const onFailure = async (error: unknown): Promise<void> => {
    const status = await deployment.status(path);
    if (status === "gone" && isCurrentPath(path)) await deployment.reload();
    console.warn(`[shell] the section "${resolved.section.name}" failed to load and will be retried:`, error);
    if (status === "retained") deployment.report(resolved, "load", error);
  };
  return loadCode(resolved, `the page ${pathnameOf(path)}`, left, () => loadPage(path, resolved), onFailure);
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
  const params = resolved && matchPath(resolved.pattern, pathnameOf(path));
  if (!params) return undefined;
  // Starts now rather than on first render, in parallel to the hydration of the frame.
  const loading = loadPageCode(path, resolved, deployment, left).then(({ page }) => {
    onCodeLoaded(page);
    return { default: page.Component };
  });
  const Component = lazy<ComponentType<PageProps<never>>>(() => loading);
  return {
    ...view,
    section: resolved.section,
    pattern: resolved.pattern,
    assets: assetsOf(resolved),
    params,
    Component,
    props: { data: view.data as never, ...(boot.form && { form: boot.form }) },
    extensions: resolved.extensions,
  };
}
