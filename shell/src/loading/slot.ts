import type { Slot } from "@colonnade/kit";
import type { SlotAnswer } from "@colonnade/kit/shell";

import { withDeadline } from "./deadline";
import { loadSection, refetch } from "./federation";
import { ensureStyles } from "./styles";

const SLOT_DEADLINE = 15_000;

/** Loads what fills one slot, once. */
export interface SlotLoader {
  /** What fills the slot. Rejects where it cannot be loaded, until `retry`. */
  load(): Promise<Slot>;
  /** What fills the slot, where it is there already: it can then be shown without waiting at all. */
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
export function createSlotLoader(name: string, answer: SlotAnswer): SlotLoader {
  let loading: Promise<Slot> | undefined;
  let slot: Slot | undefined;
  let failed = false;
  return {
    load() {
      if (loading) return loading;
      loading = withDeadline(loadSlot(name, answer, failed), SLOT_DEADLINE, `the slot "${name}"`);
      loading.then(
        (value) => {
          slot = value;
        },
        (error: unknown) => {
          failed = true;
          console.warn(`[shell] the slot "${name}" could not be filled:`, error);
        },
      );
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
