import { CONTRACT, type Section } from "@colonnade/kit";
import type { Asset, SectionEntry } from "@colonnade/kit/shell";
import { loadRemote, registerPlugins, registerRemotes } from "@module-federation/enhanced/runtime";
import * as federationCore from "@module-federation/runtime-core";

const ENTRY_TIMEOUT = 5_000;
const integrityByUrl = new Map<string, string>();

// Module Federation makes entry URLs absolute.
function absolute(url: string): string {
  return new URL(url, document.baseURI).href;
}

/** Sets up Module Federation: one runtime for the shell and all sections, and entry scripts with Subresource Integrity. */
export function startFederation(): void {
  // Sections are built without the runtime and read it from this global.
  Object.assign(globalThis, { _FEDERATION_RUNTIME_CORE: federationCore });
  registerPlugins([
    {
      name: "colonnade-entries",
      createScript({ url }) {
        const integrity = integrityByUrl.get(absolute(url));
        if (!integrity)
          throw new Error(`the script ${url} has no known digest; expected the entry of a resolved section`);
        const script = document.createElement("script");
        script.src = url;
        script.async = true;
        script.crossOrigin = "anonymous";
        script.integrity = integrity;
        return { script, timeout: ENTRY_TIMEOUT };
      },
    },
  ]);
}

const sections = new Map<string, Promise<Section>>();
const failed = new Set<string>();

async function load(entry: SectionEntry): Promise<Section> {
  integrityByUrl.set(absolute(entry.entry), entry.integrity);
  // The runtime caches a failed entry. `force` makes it load again, and log a warning.
  const force = failed.delete(entry.container);
  registerRemotes([{ name: entry.container, entry: entry.entry, type: "global" }], { force });
  const module = await loadRemote<{ default?: Partial<Section> }>(`${entry.container}/section`);
  const section = module?.default;
  if (section?.name !== entry.name) throw new Error(`${entry.entry} does not export the section "${entry.name}"`);
  if (section.contract !== CONTRACT) {
    throw new Error(
      `the section "${entry.name}" has contract ${String(section.contract)}; this shell supports ${String(CONTRACT)}`,
    );
  }
  return section as Section;
}

/** Loads a release of a section, once. A failed load is retried by the next call. */
export function loadSection(entry: SectionEntry): Promise<Section> {
  const cached = sections.get(entry.container);
  if (cached) return cached;
  const loading = load(entry);
  sections.set(entry.container, loading);
  loading.catch(() => {
    sections.delete(entry.container);
    failed.add(entry.container);
  });
  return loading;
}

/** Fetches a section's files again, past the browser's cache. Assets are immutable, so a corrupt file would stay cached. */
export async function refetch(entry: SectionEntry, assets: readonly Asset[]): Promise<void> {
  const urls = [entry.entry, ...entry.assets.map((asset) => asset.href), ...assets.map((asset) => asset.href)];
  await Promise.allSettled(
    urls.map((url) => fetch(url, { cache: "reload", signal: AbortSignal.timeout(ENTRY_TIMEOUT) })),
  );
}
