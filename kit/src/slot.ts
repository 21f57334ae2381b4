import type { ComponentType } from "react";

/** What opened the join dialog: `general` for a general invitation, `sample` for a sample listing. */
export type JoinReason = "general" | "sample";

/** Props of the component in the shell's `join` slot. */
export interface JoinSlotProps {
  /** Whether to show the dialog. */
  readonly open: boolean;
  /** Asks the shell to close the dialog. `open` becomes false, and focus returns to the opener. */
  readonly close: () => void;
  /** What opened the dialog. For `sample`, it first states that samples unlock nothing. */
  readonly reason: JoinReason;
}

/**
 * The content of one of the shell's slots: `join`, the join dialog, or `search`, a search field on the not-found page.
 */
export interface Slot {
  /** For `join`: mounted when first opened; stays mounted afterward. For `search`: gets no props, and runs in the browser only. */
  readonly Component: ComponentType<JoinSlotProps>;
}

/**
 * Declares the content of a slot. Returns its argument.
 *
 * @example
 * ```tsx
 * import { defineSlot, Dialog } from "@colonnade/kit";
 *
 * export const slot = defineSlot({
 *   Component: ({ open, close }) => (
 *     <Dialog open={open} close={close} heading="Join us">
 *       <p>Accounts open soon.</p>
 *     </Dialog>
 *   ),
 * });
 * ```
 */
export function defineSlot(slot: Slot): Slot {
  return slot;
}
