import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";

import type { SectionConfig } from "../build/config.js";
import { TYPES_FOLDER, withDeclarations } from "../build/declarations.js";
import { fetchRemoteTypes, writeFiles } from "./remoteTypes.js";

/**
 * The types of exposed modules for the sections under development. Each gets declarations of the others, as from a release, and
 * not their sources: its compiler has other options.
 */
export class LocalTypes {
  readonly #configs: ReadonlyMap<string, SectionConfig>;
  readonly #temporary: string;
  readonly #onError: (error: unknown) => void;
  readonly #closing = new AbortController();
  /** The sections whose folders have the types of others. */
  readonly #targets = new Set<string>();
  /** The sections whose declarations will be written. */
  readonly #queued = new Set<string>();
  #queue = Promise.resolve();

  /**
   * `configs` are the sections by folder. `temporary` is a folder for declarations. `onError` is called if those of a section
   * cannot be written.
   */
  constructor(configs: ReadonlyMap<string, SectionConfig>, temporary: string, onError: (error: unknown) => void) {
    this.#configs = configs;
    this.#temporary = temporary;
    this.#onError = onError;
    for (const folder of configs.keys()) this.update(folder);
  }

  /** Writes the types of all other sections of a site into the folder of a section. Throws as {@link fetchRemoteTypes} does. */
  async fetch(folder: string, config: SectionConfig, site: string): Promise<void> {
    const others = [...this.#configs.values()].filter(({ name }) => name !== config.name);
    const local = others.map((other) => ({ config: other, types: this.#typesOf(other) }));
    const fetching = this.#queue.then(async () => {
      await fetchRemoteTypes(folder, config, site, { local, signal: this.#closing.signal });
      this.#targets.add(folder);
    });
    this.#queue = fetching.catch(() => undefined);
    return fetching;
  }

  /** Writes the declarations of a section's modules for the other sections, after a change of its sources. */
  update(folder: string): void {
    const config = this.#configs.get(folder);
    if (!config?.exposes || this.#configs.size === 1 || this.#queued.has(folder)) return;
    this.#queued.add(folder);
    this.#queue = this.#queue.then(async () => {
      this.#queued.delete(folder);
      if (!this.#closing.signal.aborted) await this.#write(folder, config).catch(this.#onError);
    });
  }

  async #write(folder: string, config: SectionConfig): Promise<void> {
    const { name, exposes = {} } = config;
    const { signal } = this.#closing;
    const use = async (types: string): Promise<void> => {
      const files = await filesBelow(types);
      await replaceFiles(this.#typesOf(config), files);
      for (const target of this.#targets)
        if (target !== folder) await replaceFiles(path.join(target, TYPES_FOLDER, name), files);
    };
    await withDeclarations(folder, exposes, path.join(folder, ".colonnade/declarations"), use, signal);
  }

  #typesOf({ name }: SectionConfig): string {
    return path.join(this.#temporary, name);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queue;
  }
}

async function filesBelow(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(names.map(async (name) => [path.relative(folder, name), await readFile(name)] as const)),
  );
}

/** Makes `files` those of a folder. Writes only what differs: the compiler that watches the folder does not notice a new folder. */
async function replaceFiles(folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  const existing = await filesBelow(folder);
  for (const name of existing.keys()) if (!files.has(name)) await rm(path.join(folder, name));
  await writeFiles(folder, new Map([...files].filter(([name, content]) => !existing.get(name)?.equals(content))));
}
