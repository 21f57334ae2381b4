import path from "node:path";

import type { Compilation } from "webpack";

import { sectionAssets } from "../build/assets.js";
import type { ClientFiles, CommandOutput } from "../build/clientFiles.js";
import type { CompileProblem } from "../build/compileProblems.js";
import type { BuildSide } from "../build/config.js";
import type { BuildContext } from "../build/context.js";
import { clientConfiguration } from "../build/webpack.js";
import { sectionConfiguration } from "../check/bundle.js";
import type { SourceProblems } from "../check/sources.js";
import { WatchBuild } from "./watch.js";

/** What the last builds that succeeded have written. */
interface Latest {
  /** Hash of the build for the browser. Empty before the first one. */
  readonly client: string;
  /** Hash of the build for the server. Empty before the first one. */
  readonly server: string;
  /** The files for browsers. */
  readonly files?: ClientFiles | undefined;
  /** Names of the files for browsers, relative to `client/`. */
  readonly names: readonly string[];
  /** The compilation of the script that renders pages. */
  readonly compilation?: Compilation | undefined;
  /** What the section's own command has written. Absent without one. */
  readonly written?: CommandOutput;
}

/** The builds of a section under development. */
export interface SectionBuilds {
  readonly latest: Latest;
  /** The errors of the last builds. */
  problems(): readonly CompileProblem[];
  /** Resolves when no build runs. */
  idle(): Promise<unknown>;
  close(): Promise<unknown>;
}

/** Called when a build ended: what it built, and how long it took. */
export type OnBuild = (what: BuildSide | "release", milliseconds: number) => void;

/** The builds by webpack, with hot module replacement. */
export class WebpackBuilds implements SectionBuilds {
  readonly #context: BuildContext;
  readonly #client: WatchBuild;
  readonly #server: WatchBuild;

  /** `output` receives the script that renders pages. */
  constructor(context: BuildContext, output: string, sources: SourceProblems, onBuild: OnBuild) {
    const onDone =
      (side: BuildSide) =>
      ({ stats }: WatchBuild): void => {
        onBuild(side, stats ? stats.endTime - stats.startTime : 0);
      };
    this.#context = context;
    const development = { ...context, mode: { final: false, development: true } };
    this.#client = new WatchBuild(clientConfiguration(development), onDone("client"));
    this.#server = new WatchBuild(sectionConfiguration(context, output, sources), onDone("server"));
  }

  get latest(): Latest {
    const { folder, config } = this.#context;
    const client = this.#client.succeeded;
    const server = this.#server.succeeded;
    return {
      client: client?.hash ?? "",
      server: server?.hash ?? "",
      get files() {
        const assets = client && sectionAssets(client.compilation, path.resolve(folder, config.entry));
        return assets && { entry: "client/entry.js", assets, compilation: client.compilation };
      },
      names: Object.keys(client?.compilation.assets ?? {}),
      compilation: server?.compilation,
    };
  }

  problems(): readonly CompileProblem[] {
    return [this.#client, this.#server].flatMap((build) => build.problems(this.#context.folder));
  }

  idle(): Promise<unknown> {
    return Promise.all([this.#client.idle(), this.#server.idle()]);
  }

  close(): Promise<unknown> {
    return Promise.all([this.#client.close(), this.#server.close()]);
  }
}
