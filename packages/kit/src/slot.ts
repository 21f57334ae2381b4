import type { ComponentType } from "react";

/** What a dialog was opened with, by name. */
export type DialogParams = Readonly<Record<string, string>>;

/** Props of the component in a slot that the shell shows as a dialog. */
export interface DialogSlotProps {
  /** Whether to show the dialog. */
  readonly open: boolean;
  /** Asks the shell to close the dialog. `open` becomes false, and focus returns to the opener. */
  readonly close: () => void;
  /** What the dialog was opened with. */
  readonly params: DialogParams;
}

/** The content of one of the shell's slots. The shell decides which slots it has, and which of them are dialogs. */
export interface Slot {
  /**
   * In a dialog's slot: mounted when first opened; stays mounted afterward. In another slot: gets no props. Slots run in the
   * browser only.
   */
  readonly Component: ComponentType<DialogSlotProps>;
}

/**
 * Declares the content of a slot. Returns its argument.
 *
 * @example
 * ```tsx
 * import { defineSlot } from "@colonnade/kit";
 *
 * export const slot = defineSlot({
 *   Component: ({ open, close }) => (
 *     <dialog open={open}>
 *       <p>Accounts open soon.</p>
 *       <button type="button" onClick={close}>
 *         Close
 *       </button>
 *     </dialog>
 *   ),
 * });
 * ```
 */
export function defineSlot(slot: Slot): Slot {
  return slot;
}
