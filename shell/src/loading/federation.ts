import { CONTRACT, type Section } from "@colonnade/kit";
import type { Asset, SectionEntry } from "@colonnade/kit/shell";
import { loadRemote, registerPlugins, registerRemotes } from "@module-federation/enhanced/runtime";
import * as federationCore from "@module-federation/runtime-core";

const ENTRY_DEADLINE = 5_000;
const integrityByUrl = new Map<string, string>();

// Module Federation makes entries' addresses absolute.
function absolute(url: string): string {
  return new URL(url, document.baseURI).href;
}

/** Prepares Module Federation: one runtime for the shell and every section, scripts checked against their digest. */
export function startFederation(): void {
  // Sections are built without the runtime and look for it here.
  Object.assign(globalThis, { _FEDERATION_RUNTIME_CORE: federationCore });
  registerPlugins([
    {
      name: "colonnade-entries",
      createScript({ url }) {
        const integrity = integrityByUrl.get(absolute(url));
        if (!integrity) throw new Error(`there is no digest for ${url}`);
        const script = document.createElement("script");
        script.src = url;
        script.async = true;
        script.crossOrigin = "anonymous";
        script.integrity = integrity;
        return { script, timeout: ENTRY_DEADLINE };
      },
    },
  ]);
}

const sections = new Map<string, Promise<Section>>();
const failed = new Set<string>();

async function load(entry: SectionEntry): Promise<Section> {
  integrityByUrl.set(absolute(entry.entry), entry.integrity);
  // The runtime remembers an entry that failed. Forced, it asks again, and warns that the container is registered.
  const force = failed.delete(entry.container);
  registerRemotes([{ name: entry.container, entry: entry.entry, type: "global" }], { force });
  const module = await loadRemote<{ default?: Partial<Section> }>(`${entry.container}/section`);
  const section = module?.default;
  if (section?.name !== entry.name) throw new Error(`${entry.entry} is not the section "${entry.name}"`);
  if (section.contract !== CONTRACT) {
    throw new Error(
      `the section "${entry.name}" has contract ${String(section.contract)}, this shell has ${String(CONTRACT)}`,
    );
  }
  return section as Section;
}

/** Loads one release of a section, once. A release that failed is tried afresh at the next call. */
export function loadSection(entry: SectionEntry): Promise<Section> {
  const present = sections.get(entry.container);
  if (present) return present;
  const loading = load(entry);
  sections.set(entry.container, loading);
  loading.catch(() => {
    sections.delete(entry.container);
    failed.add(entry.container);
  });
  return loading;
}

/**
 * Replaces what the browser's cache holds of a section's files. Assets are immutable, so a file that
 * arrived broken would otherwise stay broken.
 */
export async function refetch(entry: SectionEntry, assets: readonly Asset[]): Promise<void> {
  const urls = [entry.entry, ...entry.assets.map((asset) => asset.href), ...assets.map((asset) => asset.href)];
  await Promise.allSettled(
    urls.map((url) => fetch(url, { cache: "reload", signal: AbortSignal.timeout(ENTRY_DEADLINE) })),
  );
}
