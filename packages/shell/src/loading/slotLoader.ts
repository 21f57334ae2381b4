import type { Slot } from "@colonnade/kit";
import type { Asset, ResolvedSlot, SectionEntry } from "@colonnade/kit/shell";

import { assetsOf } from "./assets.js";
import { loadSection, refetch } from "./federation.js";
import type { PinnedDeployment } from "./pinnedDeployment.js";
import { ensureStyles } from "./styles.js";
import { viewTimeout, withTimeout } from "./timeout.js";
import { trackPromise } from "./trackPromise.js";

/** Loads the content of one slot, once. */
export interface SlotLoader {
  /** The release that fills the slot. */
  readonly section: SectionEntry;
  /** The assets of the section, then of the slot. */
  readonly assets: readonly Asset[];
  /**
   * Loads the content. Null if it is gone with the pinned deployment; rejects, after reporting, for any other failure.
   * Returns the same promise until `retry`. React's `use` does not suspend on it once it is fulfilled.
   */
  load(): Promise<Slot | null>;
  /** The content, if it is loaded. */
  loaded(): Slot | undefined;
  /** Makes the next `load` start over. */
  retry(): void;
}

async function loadSlot(name: string, resolved: ResolvedSlot, isRetry: boolean): Promise<Slot> {
  const { section: entry, assets, bytes } = resolved;
  if (isRetry) await refetch(entry, assets);
  const [section] = await Promise.all([loadSection(entry, bytes), ensureStyles(assetsOf(resolved), bytes, name)]);
  const load = section.slots?.[name];
  if (!load) throw new Error(`the section "${entry.name}" does not fill the slot "${name}"`);
  return (await load()).slot;
}

/** Creates the loader of a slot. */
export function createSlotLoader(name: string, resolved: ResolvedSlot, deployment: PinnedDeployment): SlotLoader {
  let loading: Promise<Slot | null> | undefined;
  let slot: Slot | undefined;
  let failed = false;

  async function attempt(): Promise<Slot | null> {
    try {
      slot = await withTimeout(loadSlot(name, resolved, failed), viewTimeout(resolved.bytes), `the slot "${name}"`);
      return slot;
    } catch (error) {
      failed = true;
      const status = await deployment.status();
      if (status === "gone") return null;
      console.warn(`[shell] the slot "${name}" failed to load:`, error);
      if (status === "retained") deployment.report(resolved, "load", error);
      throw error;
    }
  }

  return {
    section: resolved.section,
    assets: assetsOf(resolved),
    load() {
      loading ??= trackPromise(attempt());
      return loading;
    },
    loaded() {
      return slot;
    },
    retry() {
      loading = undefined;
    },
  };
}
