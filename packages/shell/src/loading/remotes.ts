// Part of what loads after the first view.
import type { Asset, RemoteLoader, RemoteSection, RemoteViewProps } from "@colonnade/kit/shell";
import type { ComponentType, ReactNode } from "react";

import { isChunkLoadError } from "../errorClass.js";
import { fetchFile } from "./fetchFile.js";
import type { PinnedDeployment } from "./pinnedDeployment.js";
import { createRemoteView } from "./remoteView.js";
import { ensureStyles } from "./styles.js";
import { viewTimeout, withTimeout } from "./timeout.js";
import { trackPromise } from "./trackPromise.js";

const TIMEOUT = 8_000;
/** A component that is mounted later than this after a failure loads its module again. */
const RETRY_AFTER = 5_000;

/** The sections of a set, by name. */
export type RemoteSections = ReadonlyMap<string, RemoteSection>;

interface RemotesOptions {
  /** Name of the set that the tab is pinned to. */
  readonly set: string;
  readonly deployment: PinnedDeployment;
  /** Makes the sections known to the runtime. */
  readonly register: (sections: RemoteSections) => void;
  /** Loads a module of a registered section. `bytes` is as in `fileTimeout`. */
  readonly loadModule: (id: string, bytes?: number) => Promise<unknown>;
}

async function fetchSections(set: string): Promise<RemoteSections> {
  const url = `/_remotes/${set}`;
  const response = await fetch(url, { headers: { accept: "application/json" }, signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok) throw new Error(`${url} responded with status ${String(response.status)}; expected 200`);
  return new Map(Object.entries((await response.json()) as Record<string, RemoteSection>));
}

interface Exposed {
  readonly section: RemoteSection;
  readonly module: RemoteSection["exposes"][string];
}

/** @throws Error if no live section exposes the module. The gateway gets no report: the section's release has no fault. */
function exposedBy(sections: RemoteSections, id: string): Exposed {
  const [name = ""] = id.split("/");
  const section = sections.get(name);
  if (!section) throw new Error(`the section "${name}" is not live`);
  const module = section.exposes[`.${id.slice(name.length)}`];
  if (!module) throw new Error(`the live release of the section "${name}" does not expose it`);
  return { section, module };
}

/** URLs of the assets of a type. */
export function urlsOf(assets: readonly Asset[], type: Asset["type"]): string[] {
  return assets.filter((asset) => asset.type === type).map(({ href }) => href);
}

/**
 * Loads files. If they do not load, fetches them past the browser's cache and loads them once more: assets are immutable, so a
 * corrupt file would stay cached, and no button lets the visitor try again.
 */
async function loadFiles<Value>(
  load: () => Promise<Value>,
  urls: readonly string[],
  isMissingFile: (error: unknown) => boolean = () => true,
): Promise<Value> {
  try {
    return await load();
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    await Promise.all(urls.map((url) => fetchFile(url, "reload")));
    return load();
  }
}

function Failed({ fallback }: RemoteViewProps): ReactNode {
  return fallback;
}

/** Creates the loader of the modules that the sections of a set expose. Their list is fetched once. */
export function createRemotes({ set, deployment, register, loadModule }: RemotesOptions): RemoteLoader {
  let listing: Promise<RemoteSections> | undefined;
  const views = new Map<string, Promise<ComponentType<RemoteViewProps>>>();
  const warned = new Set<string>();

  function list(): Promise<RemoteSections> {
    listing ??= fetchSections(set).then((sections) => {
      register(sections);
      return sections;
    });
    listing.catch(() => {
      listing = undefined;
    });
    return listing;
  }

  function loadScripts(id: string, { section, module: { assets, bytes } }: Exposed): Promise<unknown> {
    const urls = [section.entry, ...urlsOf(assets, "script")];
    // Webpack would not run a module again that threw.
    const isMissingFile = (error: unknown): boolean =>
      isChunkLoadError(error) || (globalThis as Record<string, unknown>)[section.container] === undefined;
    return loadFiles(() => loadModule(id, bytes), urls, isMissingFile);
  }

  function loadStyles(id: string, { module: { assets, bytes } }: Exposed): Promise<void> {
    return loadFiles(() => ensureStyles(assets, bytes, id), urlsOf(assets, "style"));
  }

  function warn(id: string, error: unknown): void {
    if (!warned.has(id)) console.warn(`[shell] the remote "${id}" is not shown:`, error);
    warned.add(id);
  }

  async function createView(id: string): Promise<ComponentType<RemoteViewProps>> {
    let section: RemoteSection | undefined;
    try {
      const found = exposedBy(await list(), id);
      ({ section } = found);
      const { assets, bytes } = found.module;
      const loading = Promise.all([loadScripts(id, found), loadStyles(id, found)]);
      const [module] = await withTimeout(loading, viewTimeout(bytes), `the remote "${id}"`);
      const { default: Component } = module as { readonly default?: ComponentType };
      if (!Component) throw new Error(`the module "${id}" has no component as its default export`);
      return createRemoteView({
        ...{ id, section: found.section.name, assets, Component },
        onError(error) {
          warn(id, error);
          if (section) deployment.report({ section }, "render", error);
        },
      });
    } catch (error) {
      // Not at once: a suspended update that resumes must get the same promise again.
      setTimeout(() => views.delete(id), RETRY_AFTER);
      warn(id, error);
      if (section && (await deployment.status()) === "retained") deployment.report({ section }, "load", error);
      return Failed;
    }
  }

  // The runtime knows all sections, not only those that are shown.
  list().catch(() => undefined);
  return {
    async load(id) {
      return loadScripts(id, exposedBy(await list(), id));
    },
    view(id) {
      const view = views.get(id) ?? trackPromise(createView(id));
      views.set(id, view);
      return view;
    },
  };
}
