import { CONTRACT, type Section } from "@colonnade/kit";
import type { Remotes, SectionContainer } from "@colonnade/kit/shell";

import { head } from "../documentMembers.js";
import type { Container, FederationRuntime, LoadedContainer } from "./federationRuntime.js";
import type { Factory } from "./loadPackage.js";
import { createShareScope } from "./shareScope.js";
import { fileTimeout, withTimeout } from "./timeout.js";

const sections = new Map<string, Promise<Section>>();

/** What was loaded without the runtime, by global variable. The runtime adopts it. */
const containers = new Map<string, Promise<LoadedContainer>>();

let starting: Promise<FederationRuntime> | undefined;

/** The start of the runtime, which loads after the first view. */
export interface Federation extends Remotes {
  loaded?: FederationRuntime;
  readonly start: () => Promise<FederationRuntime>;
}

/** The runtime of `@module-federation/enhanced`: what loads sections after the first view, and modules that they expose. */
export const federation: Federation = {
  /** Starts it, once. A failed start is retried by the next call. */
  start: () => {
    starting ??= import("./federationRuntime.js").then(async ({ createFederation }) => {
      federation.loaded = await createFederation(containers);
      return federation.loaded;
    });
    starting.catch(() => {
      starting = undefined;
    });
    return starting;
  },
};

/** Starts the runtime once the document is loaded and the browser is idle. */
export function startFederationWhenIdle(): void {
  addEventListener("load", () => {
    // Safari has no idle callbacks.
    ((globalThis as Partial<typeof globalThis>).requestIdleCallback ?? setTimeout)(() => void federation.start());
  });
}

function runScript({ entry, integrity }: SectionContainer, bytes: number | undefined): Promise<void> {
  const script = document.createElement("script");
  script.src = entry;
  script.crossOrigin = "anonymous";
  script.integrity = integrity;
  const loading = new Promise<void>((resolve, reject) => {
    script.onload = () => {
      resolve();
    };
    script.onerror = () => {
      reject(new Error(`the script ${entry} failed to load`));
    };
    head.append(script);
  });
  return withTimeout(loading, fileTimeout(bytes), `the script ${entry}`).finally(() => {
    script.remove();
  });
}

/** The runtime loads the parser, so that the first script does not have the digest of its file. */
function getParser(): Promise<Factory> {
  return federation.start().then((runtime) => runtime.getParser());
}

async function loadContainer(entry: SectionContainer, bytes: number | undefined): Promise<LoadedContainer> {
  await runScript(entry, bytes);
  const container = (globalThis as Record<string, unknown>)[entry.container] as Container | undefined;
  if (!container) throw new Error(`the script ${entry.entry} does not define the container ${entry.container}`);
  const scope = createShareScope(getParser, entry);
  await container.init(scope);
  return { container, scope };
}

/** Loads the module that has the section as its default export. */
async function loadModule(entry: SectionContainer, bytes: number | undefined): Promise<unknown> {
  // In development the runtime's plugins see the first page, too.
  if (entry.needsFederationRuntime || process.env.NODE_ENV === "development") await federation.start();
  if (federation.loaded) return federation.loaded.loadSection(entry, bytes);
  const loading = loadContainer(entry, bytes);
  containers.set(entry.container, loading);
  const createModule = await (await loading).container.get("./section");
  return createModule();
}

async function load(entry: SectionContainer, bytes: number | undefined): Promise<Section> {
  const { default: section } = (await loadModule(entry, bytes)) as { readonly default?: Partial<Section> };
  if (section?.name !== entry.name) throw new Error(`${entry.entry} does not export the section "${entry.name}"`);
  if (section.contract !== CONTRACT) {
    throw new Error(
      `the section "${entry.name}" has contract ${String(section.contract)}; this shell supports ${String(CONTRACT)}`,
    );
  }
  return section as Section;
}

/** Loads a release of a section, once. A failed load is retried by the next call. `bytes` is as in `fileTimeout`. */
export function loadSection(entry: SectionContainer, bytes?: number): Promise<Section> {
  const cached = sections.get(entry.container);
  if (cached) return cached;
  const loading = load(entry, bytes);
  sections.set(entry.container, loading);
  loading.catch(() => {
    sections.delete(entry.container);
  });
  return loading;
}
