import type { DevelopmentProblem } from "./problem.js";

/** The builds of a section that runs in a page. */
export interface SectionBuilds {
  /** Hash of the build for the browser. */
  readonly client: string;
  /** Hash of the build for the server. */
  readonly server: string;
}

/** What a document starts from. */
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

/** Response to a page that asks whether its view changed since a build of its section. */
export interface ViewChange {
  readonly changed: boolean;
  /** The build that it was compared with. */
  readonly build: string;
}
