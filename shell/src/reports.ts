import type { Boot, SectionEntry } from "@colonnade/kit/shell";

/** When a section failed: before it could be shown, or while it was drawn. */
export type Phase = "load" | "render";

/** Tells the gateway that a section's release has failed in this document. */
export type Report = (section: Pick<SectionEntry, "name" | "version">, phase: Phase, error: unknown) => void;

const ADDRESS = "/_report";
const CLASS_NAME = /^[A-Za-z0-9_$]{1,64}$/;
// Webpack gives the error of a file that did not arrive no class of its own, but this name.
const MISSING_FILE = "ChunkLoadError";

/** Whether a section's own script asked for a file that could not be had. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && error.name === MISSING_FILE;
}

/** The class of what was thrown, which may be anything. Its message could say anything, and is left alone. */
export function classOf(error: unknown): string {
  if (error === null || error === undefined) return String(error);
  if (isMissingFile(error)) return MISSING_FILE;
  const { constructor } = Object(error) as { readonly constructor?: unknown };
  const name = typeof constructor === "function" ? constructor.name : "";
  return CLASS_NAME.test(name) ? name : "Unknown";
}

function send(body: object): void {
  const json = JSON.stringify(body);
  const type = "application/json";
  if (navigator.sendBeacon(ADDRESS, new Blob([json], { type }))) return;
  fetch(ADDRESS, { method: "POST", headers: { "content-type": type }, body: json, keepalive: true }).catch(
    () => undefined,
  );
}

/**
 * Makes the reporter of a document: each section and phase once, as many of them as the gateway wants, and nothing
 * that only the visitor's connection or leaving the page may have caused. It never fails itself.
 */
export function createReport({ deployment, reports }: Boot): Report {
  if (!reports) return () => undefined;
  const { samplePercent } = reports;
  const seen = new Set<string>();
  let leaving = false;
  addEventListener("pagehide", () => {
    leaving = true;
  });
  // A document that is taken out of the browser's cache lives on.
  addEventListener("pageshow", () => {
    leaving = false;
  });
  return ({ name, version }, phase, error) => {
    if (leaving || !navigator.onLine) return;
    const kind = `${name} ${phase}`;
    if (seen.has(kind)) return;
    // Whatever is drawn holds for the document, or a page that fails again and again would count for more.
    seen.add(kind);
    if (Math.random() * 100 >= samplePercent) return;
    try {
      send({ deployment, release: `${name}@${version}`, phase, error: classOf(error) });
    } catch {
      // The failure itself is in the console already.
    }
  };
}
