// Part of what loads after the first view.
import type { SectionConfiguration } from "@colonnade/kit";
import type { Asset, RemoteDetails, RemoteLoader, RemoteSection, RemoteViewProps } from "@colonnade/kit/shell";
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
  /** The configurations of sections, by name. Those of shown modules are added. */
  readonly configs: Record<string, SectionConfiguration>;
  /** Makes the sections known to the runtime. */
  readonly register: (sections: RemoteSections) => void;
  /** Loads a module of a registered section. `bytes` is as in `fileTimeout`. */
  readonly loadModule: (id: string, bytes?: number) => Promise<unknown>;
}

async function fetchJson<Value>(url: string): Promise<Value> {
  const response = await fetch(url, { headers: { accept: "application/json" }, signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok) throw new Error(`${url} responded with status ${String(response.status)}; expected 200`);
  return (await response.json()) as Value;
}

/** No live section exposes a module. */
export class NotExposedError extends Error {}

/** A component that a section exposes, and the stylesheets that it needs, which are loaded. */
export interface ExposedComponent {
  readonly section: RemoteSection;
  readonly assets: readonly Asset[];
  readonly Component: ComponentType;
}

/** Loads modules that sections expose, for what the shell shows itself, too. */
export interface ShellRemotes extends RemoteLoader {
  /**
   * Loads the component that a module exports by default. Rejects if it does not load, with {@link NotExposedError} if no live section
   * exposes it. The gateway gets a report if the release has a fault.
   */
  readonly component: (id: string) => Promise<ExposedComponent>;
}

interface Exposed {
  readonly section: RemoteSection;
  /** Name of the module, such as `./PriceTag`. */
  readonly module: string;
  /** As in `fileTimeout`. */
  readonly bytes: number | undefined;
}

/** @throws NotExposedError if no live section exposes the module. The gateway gets no report: the section's release has no fault. */
function exposedBy(sections: RemoteSections, id: string): Exposed {
  const [name = ""] = id.split("/");
  const section = sections.get(name);
  if (!section) throw new NotExposedError(`the section "${name}" is not live`);
  const module = `.${id.slice(name.length)}`;
  const exposed = section.exposes[module];
  if (!exposed) throw new NotExposedError(`the live release of the section "${name}" does not expose it`);
  return { section, module, bytes: exposed.bytes };
}

/** URLs of the assets of a type. */
function urlsOf(assets: readonly Asset[], type: Asset["type"]): string[] {
  return assets.filter((asset) => asset.type === type).map(({ href }) => href);
}

/**
 * Loads files. If they do not load, fetches them past the browser's cache and loads them once more: assets are immutable, so a
 * corrupt file would stay cached, and no button lets the visitor try again.
 */
async function loadFiles<Value>(
  load: () => Promise<Value>,
  urls: () => readonly string[] | Promise<readonly string[]>,
  isMissingFile: (error: unknown) => boolean = () => true,
): Promise<Value> {
  try {
    return await load();
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    await Promise.all((await urls()).map((url) => fetchFile(url, "reload")));
    return load();
  }
}

async function loadStyles(id: string, assets: readonly Asset[], bytes: number | undefined): Promise<void> {
  return loadFiles(
    () => ensureStyles(assets, bytes, id),
    () => urlsOf(assets, "style"),
  );
}

/** Returns all that a module needs at first, besides the section's entry. */
type AssetsOf = (exposed: Exposed) => Promise<readonly Asset[]>;

/** What the modules of a section need is fetched once. */
function createAssetsOf({ set, configs }: RemotesOptions): AssetsOf {
  const details = new Map<string, Promise<RemoteDetails>>();

  async function fetchDetails(section: string): Promise<RemoteDetails> {
    const fetched = await fetchJson<RemoteDetails>(`/_remotes/${set}?section=${section}`);
    // That of the document is as new, or newer: this response may be cached.
    if (fetched.config && !Object.hasOwn(configs, section)) configs[section] = fetched.config;
    return fetched;
  }

  return async ({ section: { name }, module }) => {
    const fetching = details.get(name) ?? fetchDetails(name);
    details.set(name, fetching);
    fetching.catch(() => details.delete(name));
    return (await fetching).assets[module] ?? [];
  };
}

function Failed({ fallback }: RemoteViewProps): ReactNode {
  return fallback;
}

/**
 * Creates the loader of the modules that the sections of a set expose. The list of sections is fetched at once, and what the modules of a
 * section need when one is shown.
 */
export function createRemotes(options: RemotesOptions): ShellRemotes {
  const { set, deployment, register, loadModule } = options;
  const assetsOf = createAssetsOf(options);
  let listing: Promise<RemoteSections> | undefined;
  const views = new Map<string, Promise<ComponentType<RemoteViewProps>>>();
  const warned = new Set<string>();

  function list(): Promise<RemoteSections> {
    listing ??= fetchJson<Record<string, RemoteSection>>(`/_remotes/${set}`).then((json) => {
      const sections = new Map(Object.entries(json));
      register(sections);
      return sections;
    });
    listing.catch(() => {
      listing = undefined;
    });
    return listing;
  }

  function loadScripts(id: string, exposed: Exposed): Promise<unknown> {
    const { section, bytes } = exposed;
    const urls = async (): Promise<string[]> => [section.entry, ...urlsOf(await assetsOf(exposed), "script")];
    // Webpack would not run a module again that threw.
    const isMissingFile = (error: unknown): boolean =>
      isChunkLoadError(error) || (globalThis as Record<string, unknown>)[section.container] === undefined;
    return loadFiles(() => loadModule(id, bytes), urls, isMissingFile);
  }

  function warn(id: string, error: unknown): void {
    if (!warned.has(id)) console.warn(`[shell] the remote "${id}" is not shown:`, error);
    warned.add(id);
  }

  async function loadComponent(id: string): Promise<ExposedComponent> {
    let blamed: RemoteSection | undefined;
    try {
      const exposed = exposedBy(await list(), id);
      const { section, bytes } = exposed;
      blamed = section;
      const needed = assetsOf(exposed);
      // If that fails, the release has no fault.
      needed.catch(() => (blamed = undefined));
      const styles = needed.then((assets) => loadStyles(id, assets, bytes));
      const loading = Promise.all([loadScripts(id, exposed), needed, styles]);
      const [module, assets] = await withTimeout(loading, viewTimeout(bytes), `the remote "${id}"`);
      const { default: Component } = module as { readonly default?: ComponentType };
      // The section that names the module is wrong, not the one that exposes it.
      if (!Component) {
        blamed = undefined;
        throw new Error(`the module "${id}" has no component as its default export`);
      }
      return { section, assets, Component };
    } catch (error) {
      const section = blamed;
      if (section && (await deployment.status()) === "retained") deployment.report({ section }, "load", error);
      throw error;
    }
  }

  async function createView(id: string): Promise<ComponentType<RemoteViewProps>> {
    try {
      const { section, assets, Component } = await loadComponent(id);
      return createRemoteView({
        ...{ id, section: section.name, assets, Component },
        onError(error) {
          warn(id, error);
          deployment.report({ section }, "render", error);
        },
      });
    } catch (error) {
      // Not at once: a suspended update that resumes must get the same promise again.
      setTimeout(() => views.delete(id), RETRY_AFTER);
      warn(id, error);
      return Failed;
    }
  }

  // The runtime knows all sections, not only those that are shown.
  list().catch(() => undefined);
  return {
    async load(id) {
      return loadScripts(id, exposedBy(await list(), id));
    },
    component: loadComponent,
    view(id) {
      const view = views.get(id) ?? trackPromise(createView(id));
      views.set(id, view);
      return view;
    },
  };
}
