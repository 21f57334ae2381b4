import { DEFAULT_LAYOUT, isNotFound, type Head, type Layout, type PageProps, type Params } from "@colonnade/kit";
import type { Boot, PageAnswer, SectionEntry } from "@colonnade/kit/shell";
import type { ComponentType } from "react";

import { withDeadline } from "./deadline";
import { isAt, isThere, loadAnew } from "./document";
import { refetch } from "./federation";
import { DeploymentGone, lookUpPage } from "./lookup";
import { renderedView } from "./rendered";
import { loadPage } from "./page";
import type { Tab } from "./tab";

const PAGE_DEADLINE = 15_000;

/** A section's page. */
export interface PageView {
  readonly kind: "page";
  readonly section: SectionEntry;
  readonly layout: Layout;
  readonly head: Head;
  readonly params: Params;
  readonly Component: ComponentType<PageProps<never>>;
  readonly props: PageProps<never>;
}

/** What is to be seen at a path. */
export type View = PageView | { readonly kind: "notFound"; readonly heading: string } | { readonly kind: "failed" };

/** Makes the views of a site's paths, each once. */
export interface Views {
  /** The view of a path (percent-encoded, no query). Never rejects: a failure is a view, too. */
  view(path: string): Promise<View>;
  /** Fetches what a path needs, so that its view is there sooner. Failures are forgotten. */
  prefetch(path: string): void;
  /** The view of a path that was rendered on the server: there without waiting. */
  rendered(path: string): View | undefined;
  /**
   * Whether the page at a path is shown as it was rendered and waits for its code. Whatever the router then told it,
   * React would draw it anew, with nothing to draw: jumps within it are the browser's own.
   */
  awaits(path: string): boolean;
  /** Forgets the view of a path if it failed, so that it is made again from fresh files. */
  retry(path: string): void;
  /** From now on the page of this path is on the screen, or what stands in its place. */
  shows(path: string): void;
}

const NOT_FOUND: View = { kind: "notFound", heading: "Page not found" };

/** What went wrong, for whoever looks into the console. Holds no personal data: paths name pages. */
function warn(section: SectionEntry | undefined, error: unknown): void {
  console.warn(`[shell] ${section ? `the section "${section.name}"` : "a page"} could not be shown:`, error);
}

/** Makes the views of the deployment that a boot payload names. `firstPath` is the path of its document. */
export function createViews(boot: Boot, firstPath: string, tab: Tab): Views {
  const answers = new Map<string, Promise<PageAnswer | null>>([[firstPath, Promise.resolve(boot.page)]]);
  const views = new Map<string, Promise<View>>();
  const failures = new Map<string, number>();
  let shown = firstPath;
  // The answer to a form post, until the visitor has left the page that shows it.
  let form = boot.form;

  function answer(path: string): Promise<PageAnswer | null> {
    const present = answers.get(path);
    if (present) return present;
    const asking = lookUpPage(boot.deployment, path);
    answers.set(path, asking);
    asking.catch(() => {
      answers.delete(path);
    });
    return asking;
  }

  async function pageView(path: string, { section: entry, pattern, assets }: PageAnswer): Promise<View> {
    const { page, params } = await loadPage(path, { section: entry, pattern, assets });
    const data = (await page.data({ params, site: boot.site })) as never;
    if (isNotFound(data)) return { kind: "notFound", heading: (data as { heading: string }).heading };
    return {
      kind: "page",
      section: entry,
      layout: { ...DEFAULT_LAYOUT, ...page.layout?.({ data }) },
      head: page.head({ data, site: boot.site }),
      params,
      Component: page.Component,
      props: { data, ...(form && path === firstPath && { form }) },
    };
  }

  /**
   * What becomes of a path whose page could not be had. Where that is because the deployment is gone, a new document
   * takes over, unless the visitor would lose by it or it has been tried in vain.
   */
  async function fail(path: string, section: SectionEntry | undefined, error: unknown): Promise<View> {
    const standing = error instanceof DeploymentGone ? "gone" : await tab.standing(path);
    if (standing === "gone") {
      if (!isAt(path)) {
        views.delete(path);
        return { kind: "failed" };
      }
      // The answer to a form post cannot be had again.
      const renewing = form && path === firstPath ? undefined : tab.renew({ leaving: path !== shown });
      if (renewing) return renewing;
      // The visitor has asked for another attempt, which nothing but a new document can be.
      if (failures.has(path) && (await isThere(path)) && isAt(path)) return loadAnew();
    }
    warn(section, error);
    if (section && standing === "kept") tab.report(section, "load", error);
    failures.set(path, (failures.get(path) ?? 0) + 1);
    return { kind: "failed" };
  }

  async function make(path: string): Promise<View> {
    const before = failures.get(path) ?? 0;
    let found: PageAnswer | null | undefined;
    try {
      found = await answer(path);
      if (!found) return NOT_FOUND;
      if (before > 0) await refetch(found.section, found.assets);
      // What fails twice is no passing fault; a new document may have another release of the section.
      if (before > 1 && (await isThere(path)) && isAt(path)) return await loadAnew();
      const view = await withDeadline(pageView(path, found), PAGE_DEADLINE, `the page ${path}`);
      failures.delete(path);
      return view;
    } catch (error) {
      return fail(path, found?.section, error);
    }
  }

  async function warm(path: string): Promise<void> {
    const found = await answer(path);
    if (!found) return;
    const { page, params } = await loadPage(path, found);
    // For the files it imports.
    await page.data({ params, site: boot.site });
  }

  let awaited = false;
  let rendered =
    boot.view &&
    renderedView(boot, boot.view, firstPath, tab, () => {
      awaited = false;
    });
  if (rendered) {
    awaited = rendered.kind === "page";
    views.set(firstPath, Promise.resolve(rendered));
  }

  return {
    rendered(path) {
      return path === firstPath ? rendered : undefined;
    },
    awaits(path) {
      return awaited && path === firstPath && shown === firstPath;
    },
    view(path) {
      const present = views.get(path);
      if (present) return present;
      const making = make(path);
      views.set(path, making);
      return making;
    },
    prefetch(path) {
      // Whatever fails here fails again, in sight, when the visitor follows the link.
      warm(path).catch(() => undefined);
    },
    retry(path) {
      if (failures.has(path)) views.delete(path);
    },
    shows(path) {
      shown = path;
      if (path === firstPath || !(form || awaited)) return;
      // Made anew when the visitor comes back: without the answer to a form post, and like any page that can fail.
      form = undefined;
      awaited = false;
      rendered = undefined;
      views.delete(firstPath);
    },
  };
}
