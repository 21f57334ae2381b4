import type { SectionContainer } from "@colonnade/kit/shell";
import { createElement, lazy, type ComponentType } from "react";

import { isChunkLoadError } from "../errorClass.js";
import { refetchChunk, type ChunkLoadError } from "./refetchChunk.js";
import { provided } from "./provided.js";
import { isCurrentPath, viewPath } from "./reload.js";
import { loadWithRetries } from "./retries.js";

/** Thrown when the visitor has left the page of a part. */
const LEFT = new Error("the page was left");

async function handleFailure(section: SectionContainer, path: string, error: unknown): Promise<void> {
  if (!isChunkLoadError(error)) throw error;
  const { deployment } = await provided;
  const status = await deployment.status();
  if (!isCurrentPath(path)) throw LEFT;
  if (status === "gone") await deployment.reload();
  console.warn(`[shell] a part of the section "${section.name}" failed to load and will be retried:`, error);
  const isFetched = await refetchChunk(error);
  // A slow connection causes a timeout, too.
  const isSlow = isFetched && (error as ChunkLoadError).type === "timeout";
  if (status === "retained" && !isSlow) deployment.report({ section }, "load", error);
}

/**
 * Creates React's `lazy` for a section. A part whose file does not load is loaded again until it succeeds, or its page is left: until then its
 * `<Suspense>` keeps its server-rendered HTML, or shows its fallback. React's own `lazy` throws in place of the part, which
 * would replace the whole page, and keeps the error, so that every retry would fail.
 */
export function createLazy(section: SectionContainer): typeof lazy {
  const createPart: typeof lazy = (load) =>
    lazy(async () => {
      const path = viewPath(location);
      const attempt = (): ReturnType<typeof load> => (isCurrentPath(path) ? load() : Promise.reject(LEFT));
      try {
        return await loadWithRetries(attempt, (error) => handleFailure(section, path, error));
      } catch (error) {
        if (error !== LEFT) throw error;
        // Loads when a page renders the part again.
        const Again = createPart(load) as unknown as ComponentType;
        const Part: ComponentType = (props) => createElement(Again, props);
        return { default: Part } as Awaited<ReturnType<typeof load>>;
      }
    });
  return createPart;
}
