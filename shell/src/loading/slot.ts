import type { Slot } from "@colonnade/kit";
import type { SectionEntry, SlotAnswer } from "@colonnade/kit/shell";

import { withDeadline } from "./deadline";
import { loadSection, refetch } from "./federation";
import { known } from "./known";
import { ensureStyles } from "./styles";
import type { Tab } from "./tab";

const SLOT_DEADLINE = 15_000;

/** Loads what fills one slot, once. */
export interface SlotLoader {
  /** Which release fills the slot. */
  readonly section: SectionEntry;
  /**
   * What fills the slot; null where it went with the tab's deployment. Rejects where it cannot be loaded for another
   * reason. So it stays until `retry`. React's `use` of it waits for nothing once it is fulfilled.
   */
  load(): Promise<Slot | null>;
  /** What fills the slot, where it is there already. */
  loaded(): Slot | undefined;
  /** Makes the next `load` start afresh. */
  retry(): void;
}

async function loadSlot(name: string, { section: entry, assets }: SlotAnswer, afresh: boolean): Promise<Slot> {
  if (afresh) await refetch(entry, assets);
  const [section] = await Promise.all([loadSection(entry), ensureStyles([...entry.assets, ...assets])]);
  const load = section.slots?.[name];
  if (!load) throw new Error(`the section "${entry.name}" fills no slot "${name}"`);
  return (await load()).slot;
}

/** Makes the loader of a slot. */
export function createSlotLoader(name: string, answer: SlotAnswer, tab: Tab): SlotLoader {
  let loading: Promise<Slot | null> | undefined;
  let slot: Slot | undefined;
  let failed = false;

  async function attempt(): Promise<Slot | null> {
    try {
      slot = await withDeadline(loadSlot(name, answer, failed), SLOT_DEADLINE, `the slot "${name}"`);
      return slot;
    } catch (error) {
      failed = true;
      const standing = await tab.standing();
      if (standing === "gone") return null;
      console.warn(`[shell] the slot "${name}" could not be filled:`, error);
      if (standing === "kept") tab.report(answer.section, "load", error);
      throw error;
    }
  }

  return {
    section: answer.section,
    load() {
      loading ??= known(attempt());
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
