import {
  DEFAULT_LAYOUT,
  isNotFound,
  isRedirect,
  type Head,
  type Layout,
  type PageProps,
  type Params,
  type Redirect,
} from "@colonnade/kit";
import type { Asset, Boot, ResolvedPage, SectionEntry } from "@colonnade/kit/shell";
import type { ComponentType } from "react";

import { assetsOf } from "./assets";
import { refetch } from "./federation";
import { loadPage } from "./loadPage";
import { loadData } from "./pageData";
import { DeploymentGoneError, resolvePage } from "./pageEndpoint";
import type { PinnedDeployment } from "./pinnedDeployment";
import { isCurrentPath, isReachable, reloadDocument } from "./reload";
import { createServerView } from "./serverView";
import { viewTimeout, withTimeout } from "./timeout";

const MAX_REDIRECTS = 10;

/** A section's page, ready to render. */
export interface PageView {
  readonly kind: "page";
  readonly section: SectionEntry;
  readonly pattern: string;
  /** The assets of the section, then of the page. */
  readonly assets: readonly Asset[];
  readonly layout: Layout;
  readonly head: Head;
  readonly params: Params;
  readonly Component: ComponentType<PageProps<never>>;
  readonly props: PageProps<never>;
}

/** What to render at a path. */
export type View = PageView | { readonly kind: "notFound"; readonly heading: string } | { readonly kind: "failed" };

/** Loads and caches the views of paths. Paths are percent-encoded and have no query. */
export interface ViewLoader {
  /** The view of a path. Never rejects: a failure is a view too. */
  load(path: string): Promise<View>;
  /**
   * Loads code, styles and data of a path ahead of time. Failures are ignored. The results of queries are fetched too: `load`
   * finds those that are still fresh in the browser's HTTP cache.
   */
  prefetch(path: string): void;
  /** The server-rendered view of a path, which needs no loading. */
  serverView(path: string): View | undefined;
  /**
   * Whether the page at a path shows its server-rendered HTML and its code is still loading. A router update would make
   * React discard that HTML, so in-page jumps and reloads are left to the browser.
   */
  awaitsHydration(path: string): boolean;
  /** Drops the view of a path if it failed or has results of queries, so that the next `load` starts over. False otherwise. */
  invalidate(path: string): boolean;
  /** Call after each navigation. Marks the page at a path as the current one, and invalidates the previous one. */
  setCurrent(path: string): void;
}

const NOT_FOUND: View = { kind: "notFound", heading: "Page not found" };

// Contains no personal data: only section names and errors.
function warn(section: SectionEntry | undefined, error: unknown): void {
  console.warn(`[shell] ${section ? `the section "${section.name}"` : "a page"} failed to load:`, error);
}

/**
 * Creates the view loader of a document. `firstPath` is the document's own path. `redirect` replaces the current history entry
 * by a path.
 */
export function createViewLoader(
  boot: Boot,
  firstPath: string,
  deployment: PinnedDeployment,
  redirect: (path: string) => void,
): ViewLoader {
  const resolvedPages = new Map<string, Promise<ResolvedPage | null>>([[firstPath, Promise.resolve(boot.page)]]);
  const views = new Map<string, Promise<View>>();
  const failures = new Map<string, number>();
  // The views with results of queries, and the requests for these results.
  const live = new Map<string, AbortController>();
  // Since the last page was shown.
  let redirects = 0;
  let currentPath = firstPath;
  // The result of a form post, until the visitor leaves the page that shows it.
  let form = boot.form;

  function resolve(path: string): Promise<ResolvedPage | null> {
    const cached = resolvedPages.get(path);
    if (cached) return cached;
    const resolving = resolvePage(boot.deployment, path);
    resolvedPages.set(path, resolving);
    resolving.catch(() => {
      resolvedPages.delete(path);
    });
    return resolving;
  }

  function drop(path: string): void {
    live.get(path)?.abort();
    live.delete(path);
    views.delete(path);
    if (path !== firstPath) return;
    serverView = undefined;
    firstViewLeft.abort();
  }

  function invalidate(path: string): boolean {
    const isStale = live.has(path) || failures.has(path);
    if (isStale) drop(path);
    return isStale;
  }

  /** The result of a load that the visitor did not wait for. Nothing shows it. */
  function abandoned(path: string): View {
    views.delete(path);
    return { kind: "failed" };
  }

  async function loadPageView(path: string, resolved: ResolvedPage): Promise<View | Redirect> {
    const loaded = await loadPage(path, resolved);
    const { page, params } = loaded;
    const requests = new AbortController();
    if (page.queries) {
      if (!isCurrentPath(path)) return abandoned(path);
      live.set(path, requests);
    }
    const data = (await loadData(loaded, boot.site, requests)) as never;
    // Another load of the path may have begun since.
    if (page.queries && live.get(path) !== requests) return { kind: "failed" };
    if (isNotFound(data)) return { kind: "notFound", heading: (data as { heading: string }).heading };
    if (isRedirect(data)) return data;
    return {
      kind: "page",
      section: resolved.section,
      pattern: resolved.pattern,
      assets: assetsOf(resolved),
      layout: { ...DEFAULT_LAYOUT, ...page.layout?.({ data }) },
      head: page.head({ data, site: boot.site }),
      params,
      Component: (path === firstPath ? hydratedComponent : null) ?? page.Component,
      props: { data, ...(form && path === firstPath && { form }) },
    };
  }

  /**
   * Handles a failed load. If the deployment is gone, reloads the document, unless the visitor would lose something or
   * a reload did not help before.
   */
  async function handleFailure(path: string, resolved: ResolvedPage | null | undefined, error: unknown): Promise<View> {
    const status = error instanceof DeploymentGoneError ? "gone" : await deployment.status(path);
    if (status === "gone") {
      if (!isCurrentPath(path)) return abandoned(path);
      // A reload would lose the result of a form post.
      const reloading = form && path === firstPath ? undefined : deployment.reload({ leaving: path !== currentPath });
      if (reloading) return reloading;
      // The visitor pressed "Try again", and only a new document can succeed.
      if (failures.has(path) && (await isReachable(path)) && isCurrentPath(path)) return reloadDocument();
    }
    warn(resolved?.section, error);
    if (resolved && status === "retained") deployment.report(resolved, "load", error);
    failures.set(path, (failures.get(path) ?? 0) + 1);
    return { kind: "failed" };
  }

  /** @throws Error if the redirects do not end. */
  function follow({ path: target }: Redirect, path: string): View | Promise<never> {
    if (!isCurrentPath(path)) return abandoned(path);
    redirects += 1;
    if (redirects > MAX_REDIRECTS) throw new Error(`${path} is redirected too often`);
    views.delete(path);
    redirect(target);
    // Nothing renders until the target is loaded.
    return new Promise<never>(() => undefined);
  }

  async function loadView(path: string): Promise<View> {
    const failuresBefore = failures.get(path) ?? 0;
    let resolved: ResolvedPage | null | undefined;
    try {
      resolved = await resolve(path);
      if (!resolved) return NOT_FOUND;
      if (failuresBefore > 0) await refetch(resolved.section, resolved.assets);
      // A second failure is not transient. A new document may have a newer release of the section.
      if (failuresBefore > 1 && (await isReachable(path)) && isCurrentPath(path)) return await reloadDocument();
      const view = await withTimeout(loadPageView(path, resolved), viewTimeout(resolved.bytes), `the page ${path}`);
      if ("path" in view) return await follow(view, path);
      failures.delete(path);
      return view;
    } catch (error) {
      return handleFailure(path, resolved, error);
    }
  }

  async function prefetchView(path: string): Promise<void> {
    const resolved = await resolve(path);
    // `data` runs for the files that it imports.
    if (resolved) await loadData(await loadPage(path, resolved), boot.site);
  }

  let codePending = false;
  // A view with another component would lose the state of the page.
  let hydratedComponent: PageView["Component"] | null = null;
  const firstViewLeft = new AbortController();
  let serverView = createServerView(boot, firstPath, deployment, firstViewLeft.signal, (page) => {
    codePending = false;
    if (serverView?.kind !== "page" || !page.queries) return;
    hydratedComponent = serverView.Component;
    live.set(firstPath, new AbortController());
  });
  if (serverView) {
    codePending = serverView.kind === "page";
    views.set(firstPath, Promise.resolve(serverView));
  }

  return {
    serverView(path) {
      return path === firstPath ? serverView : undefined;
    },
    awaitsHydration(path) {
      return codePending && path === firstPath && currentPath === firstPath;
    },
    load(path) {
      // A page may render again while the visitor already waits for another one.
      if (isCurrentPath(path)) {
        // The visitor no longer waits for the others.
        for (const other of live.keys()) if (other !== path && other !== currentPath) drop(other);
      }
      const cached = views.get(path);
      if (cached) return cached;
      const loading = loadView(path);
      views.set(path, loading);
      return loading;
    },
    prefetch(path) {
      // If it fails here, it fails again, visibly, when the visitor follows the link.
      if (!views.has(path)) prefetchView(path).catch(() => undefined);
    },
    invalidate,
    setCurrent(path) {
      redirects = 0;
      if (path === currentPath) return;
      invalidate(currentPath);
      currentPath = path;
      if (!(form || serverView)) return;
      // On return the page is loaded again, not hydrated: without the form result, and with an error message if its code fails.
      drop(firstPath);
      form = undefined;
      codePending = false;
    },
  };
}
