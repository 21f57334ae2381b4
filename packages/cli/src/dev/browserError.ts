import { readFile } from "node:fs/promises";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, resolve } from "node:path";

import { ownBuild } from "../build/commandConfig.js";
import { withFrame } from "../build/formatProblem.js";
import { MARKUP, withPermission } from "../check/permission.js";
import { formatPosition, isOwnSource } from "../check/positions.js";
import { shortenHydrationMessage } from "./hydration.js";
import { permissionOfViolation } from "./policy.js";
import type { DevelopmentProblem, DevelopmentProblemKind } from "./problem.js";
import type { DevelopmentSection } from "./section.js";

/** An error that the browser reports. */
export interface BrowserError {
  readonly kind: DevelopmentProblemKind;
  readonly message: string;
  /** The stack, or the component stack, with URLs of this server. */
  readonly stack: string;
  readonly path: string;
  /** The extension that threw it, such as `directory/city-aside@1 of events`. */
  readonly extension?: string | undefined;
  /** The directive of the Content Security Policy, and what it blocks, of a violation. */
  readonly violation?: readonly [directive: string, blocked: string] | undefined;
}

const KINDS: ReadonlySet<unknown> = new Set<DevelopmentProblemKind>(["hydration", "runtime", "policy"]);
const BLOCKED_HTML = "requires 'TrustedHTML'";
const FRAME = /\/assets\/([^/]+)\/development\/([^\s:?]+)(?:\?[^\s:]*)?:(\d+):(\d+)/g;

/** Parses a browser's report. Returns undefined if the text is not a report. */
export function parseBrowserError(text: string): BrowserError | undefined {
  try {
    const error = JSON.parse(text) as Partial<Record<keyof BrowserError, unknown>>;
    const { kind, message, stack, path, extension = "", violation = ["", ""] } = error;
    const isText = [message, stack, path, extension].every((value) => typeof value === "string");
    const isViolation = Array.isArray(violation) && violation.every((value) => typeof value === "string");
    return KINDS.has(kind) && isText && isViolation ? (error as unknown as BrowserError) : undefined;
  } catch {
    return undefined;
  }
}

/** Locates a browser's error in the sources, at the innermost frame in a section's own files. `shown` is the section of the page. */
export async function locateBrowserError(
  sections: ReadonlyMap<string, DevelopmentSection>,
  error: BrowserError,
  shown?: string,
): Promise<DevelopmentProblem> {
  const { kind, stack, path, extension } = error;
  const message = extension === undefined ? error.message : `the extension ${extension}: ${error.message}`;
  const described = kind === "hydration" ? shortenHydrationMessage(message) : { message };
  for (const [, name = "", script = "", line, column] of stack.matchAll(FRAME)) {
    const section = sections.get(name);
    const map = await readMap(section?.file(`${script}.map`));
    const entry = map?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!section || !entry || !("originalSource" in entry) || !entry.originalSource) continue;
    // A section's own command writes relative paths.
    const { output = "" } = ownBuild(section.config) ?? {};
    const file = resolve(section.folder, output, "client", dirname(script), entry.originalSource);
    if (!isOwnSource(section.folder, file)) continue;
    const location = formatPosition(section.folder, file, entry.originalLine + 1, entry.originalColumn + 1);
    return withFrame(section.folder, { kind, section: name, ...described, ...helpOf(error, name), location, path });
  }
  return { kind, section: "browser", ...described, ...helpOf(error, shown), path };
}

/** The settings that permit what the policy blocks. */
function helpOf({ message, violation }: BrowserError, section: string | undefined): { readonly help?: string } {
  const permission = violation
    ? permissionOfViolation(...violation)
    : message.includes(BLOCKED_HTML)
      ? MARKUP
      : undefined;
  return permission ? { help: withPermission("", permission, section) } : {};
}

async function readMap(file: string | undefined): Promise<SourceMap | undefined> {
  const text = file === undefined ? undefined : await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : new SourceMap(JSON.parse(text) as SourceMapPayload);
}
