import { CONTRACT, type Section } from "@colonnade/kit";
import type { Asset, SectionEntry } from "@colonnade/kit/shell";

import { head } from "../documentMembers.js";
import { fetchFile } from "./fetchFile.js";
import { createShareScope, type ShareScope } from "./shareScope.js";
import { fileTimeout, withTimeout } from "./timeout.js";

/** A Module Federation container. */
interface Container {
  init(scope: ShareScope): unknown;
  get(module: "./section"): Promise<() => unknown>;
}

const sections = new Map<string, Promise<Section>>();

function runScript({ entry, integrity }: SectionEntry, bytes: number | undefined): Promise<void> {
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

async function loadContainer(entry: SectionEntry, bytes: number | undefined): Promise<Container> {
  if (entry.needsFederationRuntime) await import("./federationRuntime.js");
  await runScript(entry, bytes);
  const container = (globalThis as Record<string, unknown>)[entry.container];
  if (!container) throw new Error(`the script ${entry.entry} does not define the container ${entry.container}`);
  return container as Container;
}

async function load(entry: SectionEntry, bytes: number | undefined): Promise<Section> {
  const container = await loadContainer(entry, bytes);
  await container.init(createShareScope(entry));
  const createModule = await container.get("./section");
  const { default: section } = (await createModule()) as { readonly default?: Partial<Section> };
  if (section?.name !== entry.name) throw new Error(`${entry.entry} does not export the section "${entry.name}"`);
  if (section.contract !== CONTRACT) {
    throw new Error(
      `the section "${entry.name}" has contract ${String(section.contract)}; this shell supports ${String(CONTRACT)}`,
    );
  }
  return section as Section;
}

/** Loads a release of a section, once. A failed load is retried by the next call. `bytes` is as in `fileTimeout`. */
export function loadSection(entry: SectionEntry, bytes?: number): Promise<Section> {
  const cached = sections.get(entry.container);
  if (cached) return cached;
  const loading = load(entry, bytes);
  sections.set(entry.container, loading);
  loading.catch(() => {
    sections.delete(entry.container);
  });
  return loading;
}

/** Fetches a section's files again, past the browser's cache. Assets are immutable, so a corrupt file would stay cached. */
export async function refetch(entry: SectionEntry, assets: readonly Asset[]): Promise<void> {
  const urls = [entry.entry, ...entry.assets.map((asset) => asset.href), ...assets.map((asset) => asset.href)];
  await Promise.all(urls.map((url) => fetchFile(url, "reload")));
}
