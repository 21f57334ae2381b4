import type { Head, Layout, NotFound, PageProps, Params } from "@colonnade/kit";
import type { Asset, ResolvedExtensions, SectionEntry } from "@colonnade/kit/shell";
import type { ComponentType } from "react";

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
  /** Values of the query parameters that the page declares. */
  readonly search?: object | undefined;
  readonly Component: ComponentType<PageProps<never>>;
  readonly props: PageProps<never>;
  /** The extensions of its points. */
  readonly extensions?: ResolvedExtensions | undefined;
}

/** What to render at a path. A page that no section has is not found without a heading. */
export type View = PageView | ({ readonly kind: "notFound" } & Partial<NotFound>) | { readonly kind: "failed" };

/** What the frame and the router use of the views of a document. On the server, the only view is there already. */
export interface Views {
  /** The server-rendered view of a path, which needs no loading. */
  serverView(path: string): View | undefined;
  /**
   * Whether the page at a path shows its server-rendered HTML and its code is still loading. A router update would make
   * React discard that HTML, so in-page jumps and reloads are left to the browser.
   */
  awaitsHydration(path: string): boolean;
  /** The view of a path. Never rejects: a failure is a view too. */
  load(path: string): Promise<View>;
  /**
   * Loads code, styles and data of a path ahead of time. Failures are ignored. The results of queries are fetched too: `load`
   * finds those that are still fresh in the browser's HTTP cache.
   */
  prefetch(path: string): void;
  /** Drops the view of a path if it failed or has results of queries, so that the next `load` starts over. False otherwise. */
  invalidate(path: string): boolean;
  /** Call after each navigation. Marks the page at a path as the current one, and invalidates the previous one. */
  setCurrent(path: string): void;
}
