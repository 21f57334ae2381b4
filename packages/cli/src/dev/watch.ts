import webpack, { type Configuration, type Stats } from "webpack";

import { compileProblems, type CompileProblem } from "../build/compileProblems.js";

/** In milliseconds. Editors write a file in several steps. */
export const AGGREGATE_TIMEOUT = 30;

/** A build that runs again when a source changes. */
export class WatchBuild {
  readonly #watching: webpack.Watching;
  readonly #onDone: (build: WatchBuild) => void;
  #isBuilding = true;
  #waiting: (() => void)[] = [];
  /** The last build. Undefined during the first one. */
  stats: Stats | undefined;
  /** The last build that succeeded. */
  succeeded: Stats | undefined;
  /** The error that prevented the last build. */
  error: Error | undefined;

  /** `onDone` is called after each build. */
  constructor(configuration: Configuration, onDone: (build: WatchBuild) => void) {
    const compiler = webpack({ ...configuration, cache: { type: "memory" } });
    this.#onDone = onDone;
    compiler.hooks.invalid.tap("WatchBuild", () => {
      this.#isBuilding = true;
    });
    const watching = compiler.watch({ aggregateTimeout: AGGREGATE_TIMEOUT }, (error, stats) => {
      this.#done(error, stats);
    });
    if (!watching) throw new Error("webpack does not watch");
    this.#watching = watching;
  }

  #done(error: Error | null, stats: Stats | undefined): void {
    this.#isBuilding = false;
    this.error = error ?? undefined;
    this.stats = stats;
    if (stats && !stats.hasErrors()) this.succeeded = stats;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
    this.#onDone(this);
  }

  /** The errors of the last build of the package in `folder`. */
  problems(folder: string): CompileProblem[] {
    return [
      ...(this.error ? [{ kind: "build", message: this.error.message } as const] : []),
      ...(this.stats ? compileProblems(folder, this.stats.compilation) : []),
    ];
  }

  /** Resolves when no build runs. */
  async idle(): Promise<void> {
    while (this.#isBuilding)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
  }

  async close(): Promise<void> {
    await new Promise((resolve) => {
      this.#watching.close(resolve);
    });
  }
}
