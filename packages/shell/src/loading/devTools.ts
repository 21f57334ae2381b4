// Part of what loads after the first view.
import type { RemoteSection } from "@colonnade/kit/shell";
import type { ModuleFederation } from "@module-federation/enhanced/runtime";
import { addGlobalSnapshot } from "@module-federation/runtime-core";

type Snapshots = Parameters<typeof addGlobalSnapshot>[0];

/** What all snapshots have. The sections get the shared packages and no remotes from their share scope and entry. */
const COMMON = { buildVersion: "", remoteTypes: "", remoteTypesZip: "", remotesInfo: {}, shared: [] };

/** The list of sections has no files of modules. */
const NO_ASSETS = { js: { sync: [], async: [] }, css: { sync: [], async: [] } };

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
      modules: Object.keys(section.exposes).map((moduleName) => ({ moduleName, assets: NO_ASSETS })),
    };
  addGlobalSnapshot(snapshots);
}
