// Part of what loads after the first view.
import type { Asset, RemoteSection } from "@colonnade/kit/shell";
import type { ModuleFederation } from "@module-federation/enhanced/runtime";
import { addGlobalSnapshot } from "@module-federation/runtime-core";

import { urlsOf } from "./remotes.js";

type Snapshots = Parameters<typeof addGlobalSnapshot>[0];

/** What all snapshots have. The sections get the shared packages and no remotes from their share scope and entry. */
const COMMON = { buildVersion: "", remoteTypes: "", remoteTypesZip: "", remotesInfo: {}, shared: [] };

function assetsOf(assets: readonly Asset[]): {
  js: { sync: string[]; async: never[] };
  css: { sync: string[]; async: never[] };
} {
  return { js: { sync: urlsOf(assets, "script"), async: [] }, css: { sync: urlsOf(assets, "style"), async: [] } };
}

/**
 * Describes the sections in `__FEDERATION__.moduleInfo`, from which the Module Federation DevTools draw the graph. The runtime
 * itself would do so from manifests, with a part that is left out of the shell.
 */
export function addToDevTools({ name, options }: ModuleFederation, sections: ReadonlyMap<string, RemoteSection>): void {
  const { version = "" } = options;
  const remotesInfo = Object.fromEntries(
    [...sections].map(([remote, section]) => [remote, { matchedVersion: section.version }]),
  );
  const snapshots: Snapshots = {
    [`${name}:${version}`]: { ...COMMON, version, remotesInfo, consumerList: [] },
  };
  for (const [remote, section] of sections)
    snapshots[`${remote}:${section.version}`] = {
      ...COMMON,
      version: section.version,
      remoteEntry: section.entry,
      remoteEntryType: "global",
      globalName: section.container,
      publicPath: "",
      modules: Object.entries(section.exposes).map(([moduleName, { assets }]) => ({
        moduleName,
        assets: assetsOf(assets),
      })),
    };
  addGlobalSnapshot(snapshots);
}
