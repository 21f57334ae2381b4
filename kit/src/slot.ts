import type { ComponentType } from "react";

/** Why the join dialog was opened: from a general invitation, or from something only a sample shows. */
export type JoinReason = "general" | "sample";

/** Props of the component in the shell's `join` slot. */
export interface JoinSlotProps {
  /** Whether the dialog is to be shown. */
  readonly open: boolean;
  /** Asks the shell to close the dialog; `open` turns false and focus goes back to the opener. */
  readonly close: () => void;
  /** What opened it. `sample`: the dialog first says that samples unlock nothing. */
  readonly reason: JoinReason;
}

/** What fills one of the shell's named places. `join` is the only place so far. */
export interface Slot {
  /** Stays mounted once it was opened for the first time. */
  readonly Component: ComponentType<JoinSlotProps>;
}

/** Declares what a section puts into a slot. Returns its argument. */
export function defineSlot(slot: Slot): Slot {
  return slot;
}
