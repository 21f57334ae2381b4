import type { SectionEntry } from "@colonnade/kit/shell";
import { lazy } from "react";

import { isChunkLoadError } from "../errorClass";
import type { PinnedDeployment } from "./pinnedDeployment";
import { loadWithRetries } from "./retries";

/** The error of webpack for a chunk that did not load. */
interface ChunkLoadError extends Error {
  /** URL of the file. */
  readonly request?: string;
  readonly type?: "timeout" | "error" | "missing";
}

// For a file of 200 kB at 30 kbit/s.
const TIMEOUT = 60_000;

let resolveDeployment: (deployment: PinnedDeployment) => void;
const pinnedDeployment = new Promise<PinnedDeployment>((resolve) => {
  resolveDeployment = resolve;
});

/** Provides the deployment, whose script runs after sections begin to load. */
export function provideDeployment(deployment: PinnedDeployment): void {
  resolveDeployment(deployment);
}

/** Downloads the file again, past the browser's cache if its copy is not the published file. Webpack waits less for it. */
async function refetch({ request, type }: ChunkLoadError): Promise<void> {
  if (!request) return;
  const cache = type === "timeout" ? "default" : "reload";
  // The whole file: only then does the browser store it.
  await fetch(request, { cache, signal: AbortSignal.timeout(TIMEOUT) })
    .then((response) => response.arrayBuffer())
    .catch(() => undefined);
}

async function handleFailure(section: SectionEntry, error: unknown): Promise<void> {
  if (!isChunkLoadError(error)) throw error;
  const deployment = await pinnedDeployment;
  const status = await deployment.status();
  if (status === "gone") await deployment.reload();
  console.warn(`[shell] a part of the section "${section.name}" failed to load and will be retried:`, error);
  if (status === "retained") deployment.report({ section }, "load", error);
  await refetch(error as ChunkLoadError);
}

/**
 * Creates React's `lazy` for a section. A part whose file does not load is loaded again until it succeeds: until then its
 * `<Suspense>` keeps its server-rendered HTML, or shows its fallback. React's own `lazy` throws in place of the part, which
 * would replace the whole page, and keeps the error, so that every retry would fail.
 */
export function createLazy(section: SectionEntry): typeof lazy {
  return (load) => lazy(() => loadWithRetries(load, (error) => handleFailure(section, error)));
}
