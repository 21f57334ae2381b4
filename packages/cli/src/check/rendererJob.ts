import type { ExtensionRequest, RenderRequest, RenderResult } from "@colonnade/kit/shell";

import type { ReadSettings } from "../build/settings.js";
import type { Report, SandboxScripts } from "./report.js";

/** The argument of a renderer process. The shared script also has the shell's `render`. Each build replaces the bundle. */
export interface RendererJob extends SandboxScripts {
  /** File that receives the report if a render exceeds its limit. */
  readonly reports: string;
  /** The section's name. */
  readonly name: string;
  /** Values of the types in its configuration. */
  readonly settings: ReadSettings;
}

/** What a renderer process receives for each render. */
export interface RenderJob {
  /** Hash of the build that wrote the section's script. */
  readonly build: string;
  readonly request: RenderRequest | ExtensionRequest;
}

/** What a request renders, for messages. */
export function viewOf(request: RenderJob["request"]): string {
  if ("extension" in request) return `the extension ${request.extension.point}`;
  return `${request.path}${request.page ? ` (page ${request.page.pattern})` : ""}`;
}

/** The result of a render. Null if it threw, and for an extension that needs no queries: only its problems count. */
export interface RenderReply {
  readonly rendered: RenderResult | null;
  readonly reports: readonly Report[];
}
