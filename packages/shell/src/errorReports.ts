import type { Boot, SectionEntry } from "@colonnade/kit/shell";

import { errorClass } from "./errorClass.js";
import { hasMovedNodes } from "./movedNodes.js";

/** When a section failed: while loading or while rendering. */
export type Phase = "load" | "render";

/** The content that failed: a page of a section, an extension, or another part of it. */
interface FailedContent {
  readonly section: Pick<SectionEntry, "name" | "version">;
  /** Pattern of the page. Absent for another part. */
  readonly pattern?: string;
  /** The extension's point, such as `directory/city-aside@1`. Absent for another part. */
  readonly extensionPoint?: string;
}

/** Reports to the gateway that a section's release failed in this document. */
export type ReportError = (content: FailedContent, phase: Phase, error: unknown) => void;

/** Whether an error comes from the place of a node that something else than React has moved. */
function isOfMovedNode(error: unknown): boolean {
  const isOfPlace = error instanceof DOMException && /^(NotFound|HierarchyRequest)Error$/.test(error.name);
  return isOfPlace && hasMovedNodes();
}

/**
 * Creates the error reporter of a document. It reports each section, extension and phase once, samples at the gateway's
 * rate, and skips errors that may come from the visitor's connection, from leaving the page, or from a browser extension
 * that moves nodes. It never throws.
 */
export function createErrorReporter({ deployment, reports }: Boot): ReportError {
  if (!reports) return () => undefined;
  const { samplePercent } = reports;
  const seen = new Set<string>();
  let leaving = false;
  addEventListener("pagehide", () => {
    leaving = true;
  });
  // The document is restored from the back/forward cache.
  addEventListener("pageshow", () => {
    leaving = false;
  });
  return ({ section: { name, version }, pattern: page, extensionPoint }, phase, error) => {
    if (leaving || !navigator.onLine || (phase === "render" && isOfMovedNode(error))) return;
    const kind = `${name} ${phase} ${extensionPoint ?? ""}`;
    if (seen.has(kind)) return;
    // Sampled once per document: otherwise a page that fails repeatedly would be overrepresented.
    seen.add(kind);
    if (Math.random() * 100 >= samplePercent) return;
    try {
      // The first frame in a file of the release, such as `main.js:1:234`, and nothing else of the stack. Every engine ends a frame
      // with the URL, the line and the column. Of the characters of a version, only "+" has a meaning here.
      const frame = new RegExp(`/assets/${name}/${version.replace("+", ".")}/([^\\s:]+:\\d+:\\d+)`);
      const report = {
        deployment,
        release: `${name}@${version}`,
        phase,
        error: errorClass(error),
        page,
        extensionPoint,
        position: frame.exec((error as Partial<Error> | null)?.stack ?? "")?.[1],
      };
      // JSON omits what is undefined.
      navigator.sendBeacon("/_report", new Blob([JSON.stringify(report)], { type: "application/json" }));
    } catch {
      // The original error is already in the console.
    }
  };
}
