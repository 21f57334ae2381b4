import type { DevelopmentProblem } from "./problem.js";

/** The builds of a section. */
export interface SectionBuilds {
  /** Hash of the build for the browser. */
  readonly client: string;
  /** Hash of the build for the server. */
  readonly server: string;
}

/** The state in a document when the server sends it. */
export interface DocumentState {
  readonly builds: Readonly<Record<string, SectionBuilds>>;
  /** The section of the page. Null if the page belongs to none of the sections under development. */
  readonly section: string | null;
}

/** What the server sends to pages after each change. */
export interface ServerState {
  readonly builds: Readonly<Record<string, SectionBuilds>>;
  readonly problems: readonly DevelopmentProblem[];
}

/** A page's view, compared with that of an earlier build of its section. */
export interface ViewChange {
  readonly changed: boolean;
  /** Whether rendering the page exceeds the limit of CPU time. It would block the browser. */
  readonly exceedsLimit: boolean;
  /** Hash of the current build, which rendered the view that was compared. */
  readonly build: string;
}
