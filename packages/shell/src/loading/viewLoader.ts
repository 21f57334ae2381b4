import { isNotFound, isRedirect, matchPath, type NotFound, type Redirect } from "@colonnade/kit";
import type { Boot, ResolvedPage, SectionEntry } from "@colonnade/kit/shell";

import { assetsOf } from "./assets.js";
import { refetch } from "./fetchFile.js";
import { FirstView } from "./firstView.js";
import { loadPage } from "./loadPage.js";
import { loadData } from "./pageData.js";
import { DeploymentGoneError, resolvePage } from "./pageEndpoint.js";
import type { PinnedDeployment } from "./pinnedDeployment.js";
import { isCurrentPath, isReachable, knownPath, pathnameOf, reloadDocument, searchNames } from "./reload.js";
import { viewTimeout, withTimeout } from "./timeout.js";
import type { View, Views } from "./view.js";
import { ViewCache } from "./viewCache.js";

const MAX_REDIRECTS = 10;

const NOT_FOUND: View = { kind: "notFound" };

// Contains no personal data: only section names and errors.
function warn(section: SectionEntry | undefined, error: unknown): void {
  console.warn(`[shell] ${section ? `the section "${section.name}"` : "a page"} failed to load:`, error);
}

/** Loads and caches views. Their paths are those of {@link viewPath}. */
export class ViewLoader implements Views {
  readonly #boot: Boot;
  readonly #firstPath: string;
  readonly #deployment: PinnedDeployment;
  readonly #redirect: (path: string) => void;
  readonly #resolvedPages: Map<string, Promise<ResolvedPage | null>>;
  readonly #cache = new ViewCache();
  readonly #first: FirstView;
  /** Since the last page was shown. */
  #redirects = 0;
  #currentPath: string;

  /** `firstPath` is the document's own path. `redirect` replaces the current history entry by a path. */
  constructor(boot: Boot, firstPath: string, deployment: PinnedDeployment, redirect: (path: string) => void) {
    this.#boot = boot;
    this.#firstPath = firstPath;
    this.#deployment = deployment;
    this.#redirect = redirect;
    this.#resolvedPages = new Map(boot.page && [[pathnameOf(firstPath), Promise.resolve(boot.page)]]);
    this.#currentPath = firstPath;
    this.#first = new FirstView(boot, firstPath, deployment, () => {
      this.#cache.addRequests(firstPath, new AbortController());
    });
    if (this.#first.view) void this.#cache.set(firstPath, Promise.resolve(this.#first.view));
  }

  serverView(path: string): View | undefined {
    return path === this.#firstPath ? this.#first.view : undefined;
  }

  awaitsHydration(path: string): boolean {
    return this.#first.codePending && path === this.#firstPath && this.#currentPath === this.#firstPath;
  }

  load(path: string): Promise<View> {
    // The visitor no longer waits for the others. A page may render again while the visitor already waits for another one.
    if (isCurrentPath(path)) this.#cache.dropQueries(path, this.#currentPath);
    return this.#cache.get(path) ?? this.#cache.set(path, this.#loadView(path));
  }

  prefetch(path: string): void {
    // If it fails here, it fails again, visibly, when the visitor follows the link.
    if (!this.#cache.get(path)) this.#prefetchView(path).catch(() => undefined);
  }

  invalidate(path: string): boolean {
    const isStale = this.#cache.isStale(path);
    if (isStale) this.#cache.drop(path);
    if (isStale && path === this.#firstPath) this.#first.drop();
    return isStale;
  }

  setCurrent(path: string): void {
    this.#redirects = 0;
    if (path === this.#currentPath) return;
    this.invalidate(this.#currentPath);
    this.#currentPath = path;
    if (!(this.#first.form || this.#first.view)) return;
    this.#cache.drop(this.#firstPath);
    this.#first.leave();
  }

  async #loadView(requested: string): Promise<View> {
    let path = requested;
    const failures = this.#cache.failuresOf(path);
    let resolved: ResolvedPage | null | undefined;
    try {
      resolved = await this.#resolve(path);
      path = knownPath(requested);
      const view = this.#cache.get(requested);
      if (view) void this.#cache.set(path, view);
      if (!resolved) return NOT_FOUND;
      if (this.#needsOtherDocument(resolved))
        return isCurrentPath(path) ? await reloadDocument() : this.#abandoned(path);
      if (failures > 0) await refetch(resolved.section, resolved.assets);
      // A second failure is not transient. A new document may have a newer release of the section.
      if (failures > 1 && (await isReachable(path)) && isCurrentPath(path)) return await reloadDocument();
      const loading = this.#loadPageView(path, resolved);
      const loaded = await withTimeout(loading, viewTimeout(resolved.bytes), `the page ${pathnameOf(path)}`);
      if ("path" in loaded) return await this.#follow(loaded, path);
      this.#cache.clearFailures(path);
      return loaded;
    } catch (error) {
      return this.#handleFailure(path, resolved, error);
    }
  }

  /** The policy of the open document holds, which may permit less than that of the page's own. */
  #needsOtherDocument({ policy = [] }: ResolvedPage): boolean {
    return policy.some((permission) => !this.#boot.policy?.includes(permission));
  }

  #resolve(viewed: string): Promise<ResolvedPage | null> {
    const path = pathnameOf(viewed);
    const cached = this.#resolvedPages.get(path);
    if (cached) return cached;
    const { deployment, configs } = this.#boot;
    const resolving = resolvePage(deployment, path).then((resolved) => {
      searchNames.set(path, resolved?.search ?? []);
      // An absent configuration replaces that of the document: the operator has removed it.
      const extensions = Object.values(resolved?.extensions ?? {}).flat();
      for (const { section, config } of resolved ? [resolved, ...extensions] : []) configs[section.name] = config ?? {};
      return resolved;
    });
    this.#resolvedPages.set(path, resolving);
    resolving.catch(() => {
      this.#resolvedPages.delete(path);
    });
    return resolving;
  }

  async #loadPageView(path: string, resolved: ResolvedPage): Promise<View | Redirect> {
    const [boot, cache, first] = [this.#boot, this.#cache, this.#first];
    const loaded = await loadPage(path, resolved);
    const { page, params, search } = loaded;
    const requests = new AbortController();
    if (page.queries) {
      if (!isCurrentPath(path)) return this.#abandoned(path);
      cache.addRequests(path, requests);
    }
    const data = (isNotFound(search) ? search : await loadData(loaded, boot.site, requests)) as never;
    // Another load of the path may have begun since.
    if (page.queries && !cache.hasRequests(path, requests)) return { kind: "failed" };
    if (isNotFound(data)) return { kind: "notFound", ...(data as NotFound) };
    if (isRedirect(data)) return data;
    const isFirst = path === this.#firstPath;
    const isFirstPattern = resolved.pattern === boot.page?.pattern;
    const props = { data, ...(first.form && isFirst && { form: first.form }) };
    return {
      kind: "page",
      section: resolved.section,
      pattern: resolved.pattern,
      assets: assetsOf(resolved),
      layout: page.layout?.({ data }) ?? {},
      head: page.head({ ...props, search: search as never, site: boot.site }),
      params,
      search,
      Component: (isFirstPattern ? first.component : undefined) ?? page.Component,
      props,
      extensions: resolved.extensions,
    };
  }

  async #prefetchView(path: string): Promise<void> {
    const open = await this.#resolvedPages.get(pathnameOf(this.#currentPath));
    // An app with a router of its own follows its links.
    if (open?.pattern.endsWith("*") && matchPath(open.pattern, pathnameOf(path))) return;
    const resolved = await this.#resolve(path);
    // `data` runs for the files that it imports.
    if (resolved && !this.#needsOtherDocument(resolved))
      await loadData(await loadPage(path, resolved), this.#boot.site);
  }

  /** @throws Error if the redirects do not end. */
  #follow({ path: target }: Redirect, path: string): View | Promise<never> {
    if (!isCurrentPath(path)) return this.#abandoned(path);
    this.#redirects += 1;
    if (this.#redirects > MAX_REDIRECTS) throw new Error(`${path} is redirected too often`);
    this.#cache.forget(path);
    this.#redirect(target);
    // Nothing renders until the target is loaded.
    return new Promise<never>(() => undefined);
  }

  /** The result of a load that the visitor did not wait for. Nothing shows it. */
  #abandoned(path: string): View {
    this.#cache.forget(path);
    return { kind: "failed" };
  }

  /**
   * Handles a failed load. If the deployment is gone, reloads the document, unless the visitor would lose something or
   * a reload did not help before.
   */
  async #handleFailure(path: string, resolved: ResolvedPage | null | undefined, error: unknown): Promise<View> {
    const [cache, deployment] = [this.#cache, this.#deployment];
    const status = error instanceof DeploymentGoneError ? "gone" : await deployment.status(path);
    if (status === "gone") {
      if (!isCurrentPath(path)) return this.#abandoned(path);
      // A reload would lose the result of a form post.
      const losesForm = this.#first.form && path === this.#firstPath;
      const reloading = losesForm ? undefined : deployment.reload({ leaving: path !== this.#currentPath });
      if (reloading) return reloading;
      // The visitor pressed "Try again", and only a new document can succeed.
      if (cache.failuresOf(path) > 0 && (await isReachable(path)) && isCurrentPath(path)) return reloadDocument();
    }
    warn(resolved?.section, error);
    if (resolved && status === "retained") deployment.report(resolved, "load", error);
    cache.addFailure(path);
    return { kind: "failed" };
  }
}
