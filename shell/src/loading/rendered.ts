import { DEFAULT_LAYOUT, matchPath, type AnyPage, type PageProps } from "@colonnade/kit";
import type { Boot, PageAnswer, RenderedView } from "@colonnade/kit/shell";
import { lazy, type ComponentType } from "react";

import { withDeadline } from "./deadline";
import { refetch } from "./federation";
import { loadPage } from "./page";
import type { Tab } from "./tab";
import type { View } from "./view";

const PAGE_DEADLINE = 15_000;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = (): void => {
      clearTimeout(timer);
      over.abort();
      resolve();
    };
    const timer = setTimeout(end, ms);
    // No use in waiting once the network is back.
    addEventListener("online", end, { signal: over.signal });
  });
}

/**
 * Loads the code of a page that is there to be read already, for as long as it takes: what the visitor reads is never
 * taken away because its code does not come.
 */
async function loadPatiently(path: string, answer: PageAnswer, tab: Tab): Promise<AnyPage> {
  for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 2, LONGEST_PAUSE)) {
    try {
      if (wait > FIRST_PAUSE) await refetch(answer.section, answer.assets);
      return (await withDeadline(loadPage(path, answer), PAGE_DEADLINE, `the page ${path}`)).page;
    } catch (error) {
      const standing = await tab.standing(path);
      if (standing === "gone") await tab.renew();
      console.warn(`[shell] the section "${answer.section.name}" could not be loaded, and is tried again:`, error);
      if (standing === "kept") tab.report(answer.section, "load", error);
    }
    await pause(wait);
  }
}

/** The view of a page that was rendered on the server. Its code arrives when it does, and `arrived` is called. */
export function renderedView(
  boot: Boot,
  view: RenderedView,
  path: string,
  tab: Tab,
  arrived: () => void,
): View | undefined {
  if (view.kind === "notFound") return view;
  const answer = boot.page;
  const params = answer && matchPath(answer.pattern, path);
  if (!params) return undefined;
  // At once, not when it is first drawn: it comes while the frame around it is taken over.
  const loading = loadPatiently(path, answer, tab).then(({ Component: code }) => {
    arrived();
    return { default: code };
  });
  const Component = lazy<ComponentType<PageProps<never>>>(() => loading);
  return {
    kind: "page",
    section: answer.section,
    layout: { ...DEFAULT_LAYOUT, ...view.layout },
    head: view.head,
    params,
    Component,
    props: { data: view.data as never, ...(boot.form && { form: boot.form }) },
  };
}
