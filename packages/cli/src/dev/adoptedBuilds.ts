import path from "node:path";

import Watchpack from "watchpack";

import { loadAdopted } from "../adopt/adopt.js";
import type { SectionConfig } from "../build/config.js";
import { digestOf, listFiles } from "../build/release.js";
import type { OnBuild, SectionBuilds } from "./builds.js";

/** In milliseconds. A bundler writes its files one after the other. */
const AGGREGATE_TIMEOUT = 200;
type Start = (config: SectionConfig) => SectionBuilds;

/**
 * The builds of a section that adopts the remote built in a folder. They start again, with the remote of then, when its files change.
 * `start` starts them with a configuration.
 */
export function adoptedBuilds(folder: string, remote: string, start: Start, onBuild: OnBuild): SectionBuilds {
  const output = path.join(folder, remote);
  let builds: SectionBuilds | undefined;
  let latest: SectionBuilds["latest"] = { client: "", server: "", names: [] };
  let [digest, error]: [string?, Error?] = [];
  const run = async (): Promise<void> => {
    const current = digestOf(JSON.stringify(await listFiles(output).catch(() => [])));
    if (current === digest) return;
    digest = current;
    try {
      const config = await loadAdopted(folder, true);
      await builds?.idle();
      await builds?.close();
      builds = start(config);
      error = undefined;
    } catch (thrown) {
      error = thrown as Error;
      onBuild("release", 0);
    }
  };
  const watcher = new Watchpack({ aggregateTimeout: AGGREGATE_TIMEOUT });
  watcher.watch({ directories: [output], startTime: Date.now() });
  let running = run();
  watcher.on("aggregated", () => void (running = running.then(run)));
  return {
    // Those of before until both builds have succeeded.
    get latest() {
      if (builds?.latest.client && builds.latest.server) ({ latest } = builds);
      return latest;
    },
    problems: () => (error ? [{ kind: "build", message: error.message }] : (builds?.problems() ?? [])),
    idle: () => running.then(() => builds?.idle()),
    close: () => (watcher.close(), running.then(() => builds?.close())),
  };
}
