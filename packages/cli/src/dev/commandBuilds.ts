import path from "node:path";

import Watchpack from "watchpack";
import type { Compilation } from "webpack";

import { commandInputs, runBuildCommand } from "../build/buildCommand.js";
import type { CommandOutput } from "../build/clientFiles.js";
import type { BuildCommand } from "../build/commandConfig.js";
import { compile } from "../build/compile.js";
import type { CompileProblem } from "../build/compileProblems.js";
import type { BuildContext } from "../build/context.js";
import { digestOf, listFiles } from "../build/release.js";
import { hashInputs, inputsBelow, isInput } from "../build/version.js";
import { sectionConfiguration } from "../check/bundle.js";
import type { SourceProblems } from "../check/sources.js";
import type { OnBuild, SectionBuilds } from "./builds.js";
import { AGGREGATE_TIMEOUT } from "./watch.js";

/** The builds by a section's own command, which runs again when a source changes. */
export class CommandBuilds implements SectionBuilds {
  readonly #build: BuildCommand;
  readonly #compile: (written: CommandOutput) => Promise<Compilation>;
  readonly #context: BuildContext;
  readonly #onBuild: OnBuild;
  readonly #watcher: InstanceType<typeof Watchpack>;
  readonly #closing = new AbortController();
  #running: Promise<void>;
  #inputs = "";
  #error: Error | undefined;
  latest: SectionBuilds["latest"] = { client: "", server: "", names: [] };

  /** `output` receives the script that renders pages. */
  constructor(build: BuildCommand, context: BuildContext, output: string, sources: SourceProblems, onBuild: OnBuild) {
    const { folder } = context;
    this.#build = build;
    this.#compile = (written) => compile(sectionConfiguration({ ...context, written }, output, sources), context);
    this.#context = context;
    this.#onBuild = onBuild;
    this.#watcher = new Watchpack({ aggregateTimeout: AGGREGATE_TIMEOUT, ignored: (file) => !isInput(folder, file) });
    this.#watcher.on("aggregated", () => {
      this.#running = this.#running.then(() => this.#run());
    });
    const directories = ["", ...(build.sources ?? [])].map((source) => path.join(folder, source));
    this.#watcher.watch({ directories, startTime: Date.now() });
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const start = performance.now();
    try {
      const { folder } = this.#context;
      const inputs = await hashInputs(folder, {}, await commandInputs(folder, this.#build));
      // The command may write files beside the sources.
      if (signal.aborted || inputs === this.#inputs) return;
      this.#inputs = inputs;
      const written = await runBuildCommand(this.#context, this.#build, signal);
      const compilation = await this.#compile(written);
      const hash = digestOf(JSON.stringify(await listFiles(written.folder)));
      const names = await inputsBelow(path.join(written.folder, "client"), new Set());
      this.latest = { client: hash, server: hash, files: written, names, compilation, written };
      this.#error = undefined;
    } catch (error) {
      this.#error = error as Error;
    }
    if (!signal.aborted) this.#onBuild("release", Math.round(performance.now() - start));
  }

  problems(): readonly CompileProblem[] {
    return this.#error ? [{ kind: "build", message: this.#error.message }] : [];
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async close(): Promise<void> {
    this.#watcher.close();
    this.#closing.abort();
    await this.#running;
  }
}
