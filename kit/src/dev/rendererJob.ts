import type { RenderedView } from "../boot.js";
import type { Report } from "../check/report.js";
import type { FormResult } from "../page.js";
import type { SiteFacts } from "../site.js";

/** What a renderer process starts with. */
export interface RendererJob {
  /** Path of the script with the shared packages, the steps of the check and the shell's `render`. */
  readonly shared: string;
  /** Path of the section's script. */
  readonly bundle: string;
  /** File that receives the report if a render exceeds its limit. */
  readonly reports: string;
  /** The section's name. */
  readonly name: string;
}

/** A page to render: the request of the shell's `render`. */
export interface RenderRequest {
  /** Percent-encoded, without the query. */
  readonly path: string;
  /** Null for the not-found page. */
  readonly page: { readonly section: string; readonly pattern: string } | null;
  readonly site: SiteFacts;
  readonly form?: FormResult;
}

/** A page as the shell renders it. */
export interface Rendered {
  readonly status: 200 | 404;
  readonly head: { readonly title: string };
  readonly view: RenderedView;
  readonly html: string;
}

/** The result of a render. The page is null if it threw. */
export interface RenderReply {
  readonly rendered: Rendered | null;
  readonly reports: readonly Report[];
}
