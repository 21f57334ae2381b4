import type { View } from "./view.js";

/** The views of paths that are loaded or loading. */
export class ViewCache {
  readonly #views = new Map<string, Promise<View>>();
  readonly #failures = new Map<string, number>();
  /** Of the views with results of queries: the requests for these results. */
  readonly #requests = new Map<string, AbortController>();

  get(path: string): Promise<View> | undefined {
    return this.#views.get(path);
  }

  set(path: string, view: Promise<View>): Promise<View> {
    this.#views.set(path, view);
    return view;
  }

  /** Forgets a view whose load goes on, but that nothing shows. */
  forget(path: string): void {
    this.#views.delete(path);
  }

  /** Forgets a view, and aborts its requests. */
  drop(path: string): void {
    this.#requests.get(path)?.abort();
    this.#requests.delete(path);
    this.forget(path);
  }

  /** Drops the views with results of queries, except those of two paths. */
  dropQueries(except: string, other: string): void {
    for (const path of this.#requests.keys()) if (path !== except && path !== other) this.drop(path);
  }

  /** Marks the view of a path as one with results of queries. */
  addRequests(path: string, requests: AbortController): void {
    this.#requests.set(path, requests);
  }

  /** Whether no other load of the path has sent requests since. */
  hasRequests(path: string, requests: AbortController): boolean {
    return this.#requests.get(path) === requests;
  }

  /** The number of loads that failed since the last that succeeded. */
  failuresOf(path: string): number {
    return this.#failures.get(path) ?? 0;
  }

  addFailure(path: string): void {
    this.#failures.set(path, this.failuresOf(path) + 1);
  }

  clearFailures(path: string): void {
    this.#failures.delete(path);
  }

  /** Whether the next visit loads the view again: it failed, or has results of queries. */
  isStale(path: string): boolean {
    return this.#requests.has(path) || this.#failures.has(path);
  }
}
