/** A section of this page that `colonnade dev` builds. */
export interface HotSection {
  /** Hash of the build that runs in this page. */
  build(): string;
  /** Applies the next build. Rejects if that needs a reload. */
  update(): Promise<void>;
}
