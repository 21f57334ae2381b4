// Loads after the first view.
import type { RemoteLoader, SectionContainer } from "@colonnade/kit/shell";
import { createInstance, type ModuleFederation } from "@module-federation/enhanced/runtime";
// `@module-federation/enhanced` does not export the core as a whole.
import * as core from "@module-federation/runtime-core";

import { createDialogLoader, preloadDialogs, type DialogLoader } from "../dialogs/dialogLoader.js";
import type { FederationPlugin } from "../parts.js";
import { addToDevTools } from "./devTools.js";
import { provided } from "./provided.js";
import { createRemotes, type RemoteSections } from "./remotes.js";
import { loadPackage, type Factory } from "./loadPackage.js";
import { createShareScope, type ShareScope } from "./shareScope.js";
import { fileTimeout } from "./timeout.js";

// Containers that are built with `externalRuntime` read the runtime from this global when they start.
Object.assign(globalThis, { _FEDERATION_RUNTIME_CORE: core });

/** A Module Federation container. */
export interface Container {
  init(scope: ShareScope): unknown;
  get(module: string): Promise<() => unknown>;
}

/** A container, and the share scope that it was initialized with. */
export interface LoadedContainer {
  readonly container: Container;
  readonly scope: ShareScope;
}

/** The runtime of `@module-federation/enhanced`, with the sections of the deployment as its remotes. */
export interface FederationRuntime extends RemoteLoader {
  readonly dialogs: DialogLoader;
  /** Loads the kit's parser of HTML. */
  readonly getParser: () => Promise<Factory>;
  /** Loads the module that has a section as its default export. `bytes` is as in `fileTimeout`. */
  loadSection(entry: SectionContainer, bytes: number | undefined): Promise<unknown>;
}

interface Registered {
  readonly entry: SectionContainer;
  /** As in `fileTimeout`. */
  bytes?: number | undefined;
}

/** What a plugin returns for a script. */
interface CreatedScript {
  readonly script?: HTMLScriptElement;
  /** In milliseconds. */
  readonly timeout?: number;
}

type CreateScript = ModuleFederation["loaderHook"]["lifecycle"]["createScript"];
type ScriptOptions = Parameters<CreateScript["emit"]>[0];

/** What the runtime keeps of each version of a shared package, besides what containers read. */
const SHARED = {
  from: "shell",
  scope: ["default"],
  shareConfig: { singleton: true, requiredVersion: false, eager: false, strictVersion: false },
  strategy: "loaded-first",
  deps: [],
};

function getParser(): Promise<Factory> {
  return loadPackage(() => import("@colonnade/kit/html/parser"));
}

/** Adds the fields of the runtime to a share scope, which stays the same object: containers know it already. */
function completed(shareScope: ShareScope): never {
  for (const versions of Object.values(shareScope))
    for (const [version, shared] of Object.entries(versions)) Object.assign(shared, SHARED, { version, useIn: [] });
  return shareScope as never;
}

/**
 * Lets the runtime adopt a container that is loaded, and gives each section its own share scope, named after it: a section's
 * `lazy` reports failures of that section.
 */
function adoption(
  sections: ReadonlyMap<string, Registered>,
  containers: ReadonlyMap<string, Promise<LoadedContainer>>,
  instance: () => ModuleFederation,
): FederationPlugin {
  return {
    name: "colonnade",
    async loadEntry({ remoteInfo: { name } }) {
      const registered = sections.get(name);
      if (!registered) return undefined;
      const { entry } = registered;
      const loaded = await containers.get(entry.container)?.catch(() => undefined);
      instance().initShareScopeMap(name, completed(loaded?.scope ?? createShareScope(getParser, entry)));
      // The shell has initialized it, and a container can be initialized only once.
      if (loaded) return { get: (module: string) => loaded.container.get(module), init: () => undefined } as never;
      // Until the script defines it, this global is the element with that ID, if the page has one. The runtime would take the
      // element for the container.
      Object.assign(globalThis, { [entry.container]: undefined });
      return undefined;
    },
  };
}

type Hook = (...args: readonly unknown[]) => unknown;

/**
 * Returns a plugin of the site whose hooks do not throw: the runtime would take the error of a hook for that of a section. Only the
 * hooks that sections and their modules call are guarded. The console has one warning of each.
 */
function guarded(plugin: FederationPlugin): FederationPlugin {
  const hooks: Record<string, Hook> = {};
  for (const name of ["createScript", "onLoad", "errorLoadRemote"] as const) {
    const hook = plugin[name] as Hook | undefined;
    let warned = false;
    const onError = (error: unknown): void => {
      if (!warned) console.warn(`[shell] the hook ${name} of the plugin "${plugin.name}" failed:`, error);
      warned = true;
    };
    if (hook) hooks[name] = (...args) => withoutError(() => hook.apply(plugin, [...args]), onError);
  }
  return { ...plugin, ...hooks };
}

/** The result of a function; undefined after an error, also if that is one of its promise. */
function withoutError(call: () => unknown, onError: (error: unknown) => void): unknown {
  try {
    const result = call();
    return result instanceof Promise ? result.catch(onError) : result;
  } catch (error) {
    onError(error);
    return undefined;
  }
}

/** Adds digest and timeout to each script of a section, whatever a plugin returns for it. */
function secureScripts({ loaderHook }: ModuleFederation, sections: ReadonlyMap<string, Registered>): void {
  const { createScript } = loaderHook.lifecycle;
  const emit = createScript.emit.bind(createScript);
  createScript.emit = (options: ScriptOptions) => {
    const created = emit(options) as HTMLScriptElement | CreatedScript | undefined;
    const given = created instanceof HTMLScriptElement ? { script: created } : created;
    const { script = document.createElement("script"), timeout } = given ?? {};
    const registered = sections.get(options.remoteInfo?.name ?? "");
    script.crossOrigin = "anonymous";
    script.integrity = registered?.entry.integrity ?? script.integrity;
    return { script, timeout: timeout ?? fileTimeout(registered?.bytes) };
  };
}

/** Creates the runtime. `containers` are those that are loaded without it, by global variable. */
export async function createFederation(
  containers: ReadonlyMap<string, Promise<LoadedContainer>>,
): Promise<FederationRuntime> {
  const { boot, deployment, parts } = await provided;
  const { dialog, federationPlugins = [] } = parts;
  const { deployment: set, configs } = boot;
  const sections = new Map<string, Registered>();
  const instance: ModuleFederation = createInstance({
    name: "shell",
    version: set,
    remotes: [],
    shareStrategy: "loaded-first",
    plugins: [adoption(sections, containers, () => instance), ...federationPlugins.map(guarded)],
  });
  instance.initShareScopeMap("default", completed(createShareScope(getParser)));
  secureScripts(instance, sections);

  function register(entry: SectionContainer, bytes?: number): void {
    const { name, container, integrity } = entry;
    sections.set(name, { entry, bytes: bytes ?? sections.get(name)?.bytes });
    // No alias: the runtime lets none be the prefix of another remote's name, as that of `shop` would be beside `shopping`.
    const remote = { name, entry: entry.entry, entryGlobalName: container, shareScope: name, integrity };
    instance.registerRemotes([remote]);
  }

  const remotes = createRemotes({
    ...{ set, deployment, configs },
    register(listed: RemoteSections) {
      for (const section of listed.values()) register(section);
      addToDevTools(instance, listed);
    },
    loadModule(id, bytes) {
      const registered = sections.get(id.split("/")[0] ?? "");
      if (registered && bytes !== undefined) registered.bytes = bytes;
      return instance.loadRemote(id);
    },
  });
  const dialogs = createDialogLoader({ loadComponent: remotes.component, deployment });
  if (dialog) preloadDialogs(dialogs);
  return {
    ...remotes,
    dialogs,
    getParser,
    loadSection(entry, bytes) {
      register(entry, bytes);
      return instance.loadRemote(`${entry.name}/section`);
    },
  };
}
