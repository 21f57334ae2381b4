/** What a dialog was opened with, by name. */
export type DialogParams = Readonly<Record<string, string>>;

/**
 * Props of a dialog: the component that a module exports by default, which its section exposes. The shell mounts it when it first
 * opens, in the browser, and keeps it mounted afterward.
 *
 * @example
 * ```tsx
 * import type { DialogProps } from "@colonnade/kit";
 *
 * // exposes: { "./newsletter": "./src/dialogs/newsletter.tsx" }
 * export default function Newsletter({ open, close }: DialogProps) {
 *   return (
 *     <dialog open={open}>
 *       <p>The newsletter starts soon.</p>
 *       <button type="button" onClick={close}>
 *         Close
 *       </button>
 *     </dialog>
 *   );
 * }
 * ```
 */
export interface DialogProps {
  /** Whether to show the dialog. */
  readonly open: boolean;
  /** Asks the shell to close the dialog. `open` becomes false, and focus returns to the opener. */
  readonly close: () => void;
  /** What the dialog was opened with. */
  readonly params: DialogParams;
}
