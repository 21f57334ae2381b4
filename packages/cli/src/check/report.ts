import type { ExampleResults } from "@colonnade/kit";

import type { ReleaseExtension, ReleaseExtensionPoint, ReleasePage } from "../build/release.js";
import type { ReadSettings } from "../build/settings.js";
import type { ThrownError } from "./classify.js";
import type { ProblemCode } from "./codes.js";
import type { Permission } from "./permission.js";

/** A path that a page links to, and the pattern that it matches. */
export interface LinkTarget {
  /** With its query. */
  readonly path: string;
  readonly pattern: string;
}

/** The HTML of a page at a path, or of an extension with an example. */
export interface RenderedView {
  /** What rendered it, for messages. */
  readonly view: string;
  /** The page's pattern, or the reference of the extension's point. */
  readonly source: string;
  readonly isExtension?: boolean;
  /** The path that relative links start from. */
  readonly path: string;
  readonly html: string;
  /** The position of its component in the sources; undefined if unknown. */
  readonly location: string | undefined;
}

/** The paths of the scripts that run in a sandbox. */
export interface SandboxScripts {
  /** Path of the script with the shared packages and the steps of the check. */
  readonly shared: string;
  /** Path of the script with the section. */
  readonly bundle: string;
}

/** The argument of a child process: what its tasks have in common. */
export interface CheckJob extends SandboxScripts {
  /** File that the process appends the reports of a task to, one JSON document per line. */
  readonly reports: string;
  /** The section's name in its configuration. */
  readonly name: string;
  /** Values of the types in its configuration. */
  readonly settings: ReadSettings;
}

/** A page at a path, or an extension with props as JSON. */
export type Subject =
  { readonly pattern: string; readonly path: string } | { readonly point: string; readonly props: string };

/** Results of the queries of a page or an extension. */
export interface GivenResults {
  readonly subject: Subject;
  readonly results: ExampleResults;
}

/** An extension to check. */
export interface ExtensionTask {
  /** The reference of its extension point. */
  readonly point: string;
  /** The props to render it with, as JSON. */
  readonly examples: readonly string[];
  /** The live release that the props are of. Absent for the section's own. */
  readonly opener?: string;
}

/** A message to a child process: what to check next. */
export interface CheckTask {
  /** The page to check. Null to check the section itself, an extension, or links. */
  readonly pattern: string | null;
  /** The extension to check. */
  readonly extension?: ExtensionTask;
  /** The link targets to check. */
  readonly links?: readonly LinkTarget[];
  /** Results to check only these subjects with: all are of the page, or of the extension. */
  readonly given?: readonly GivenResults[];
}

/** What a release says about a page besides its files. */
export type CheckedPage = Omit<ReleasePage, "pattern" | "assets">;

/** A result of a task. Stacks contain positions in the bundle. */
export type Report =
  | {
      readonly kind: "page";
      readonly page: CheckedPage;
      /** The extension points that it opens. */
      readonly points: readonly ReleaseExtensionPoint[];
    }
  | ({ readonly kind: "extension" } & Pick<ReleaseExtension, "point" | "order">)
  | ({ readonly kind: "rendered"; readonly stack: string } & Omit<RenderedView, "location">)
  | ({
      readonly kind: "notFound";
      /** Whether the page rejects the query. */
      readonly isRejected: boolean;
    } & LinkTarget)
  | ({ readonly kind: "example"; readonly stack: string } & GivenResults)
  | {
      readonly kind: "noExamples";
      /** The page's pattern, or the reference of the extension's point. */
      readonly source: string;
      readonly isExtension: boolean;
      readonly stack: string;
    }
  | {
      readonly kind: "queries";
      readonly subject: Subject;
      /** The paths by name. */
      readonly queries: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: "thrown";
      readonly step: string;
      readonly error: ThrownError;
      readonly stack: string;
      /** A stack with the position of the function that the step runs, for an error without a position. */
      readonly ownStack?: string;
      /** Whether the queries of the page fail in this step. */
      readonly hasFailedQueries?: boolean;
    }
  | { readonly kind: "timeout"; readonly step: string; readonly limit: number; readonly stack: string }
  | {
      readonly kind: "violation";
      readonly code: ProblemCode;
      readonly message: string;
      readonly advice?: string;
      readonly permission?: Permission | undefined;
      /** Present if the violation does not fail the check. */
      readonly severity?: "warning";
      /** Of an element whose style several places may have passed, the stacks of all. */
      readonly stack?: string | readonly string[];
      /** As of a thrown error. */
      readonly ownStack?: string;
      /** The part of the section's declaration that the problem is about, such as `pages /hello`. */
      readonly part?: string;
    };

/** File name of the section's script in stacks. */
export const BUNDLE_NAME = "colonnade-check-bundle.js";
