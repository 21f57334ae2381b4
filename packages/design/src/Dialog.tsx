import {
  useId,
  useLayoutEffect,
  useRef,
  type MouseEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
} from "react";

/** Props of {@link Dialog}. */
export interface DialogProps {
  /** Whether to show the dialog. */
  readonly open: boolean;
  /** Called when the visitor closes the dialog: with its button, with Escape or by a click on the backdrop. */
  readonly close: () => void;
  /** Heading, and accessible name. */
  readonly heading: string;
  /** Id of an element within the dialog that describes it. */
  readonly describedBy?: string | undefined;
  /** Content below the heading. */
  readonly children: ReactNode;
}

/**
 * A modal dialog. It uses the native `dialog` element, which makes the rest of the page inert and restores focus on close.
 * The contents are mounted only while the dialog is open. The heading receives focus.
 */
export function Dialog({ open, close, heading, describedBy, children }: DialogProps): ReactElement {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const pressedBackdrop = useRef(false);

  // A layout effect runs before the element is removed: the browser restores focus only if the dialog is closed first.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!open || !element) return undefined;
    element.showModal();
    // Screen readers start at the heading, and focus on a field would open a phone's keyboard.
    title.current?.focus();
    return () => {
      element.close();
    };
  }, [open]);

  // Events target the dialog element itself only on the backdrop. A press that begins inside, such as a text selection, is
  // not a click on the backdrop. Neither is the second click of a double-click: the first may have hit a button, and the
  // dialog may have become lower since.
  const onPointerDown = (event: PointerEvent): void => {
    pressedBackdrop.current = event.target === event.currentTarget;
  };
  const onClick = (event: MouseEvent): void => {
    if (pressedBackdrop.current && event.target === event.currentTarget && event.detail < 2) close();
  };
  // Escape may close the dialog without a cancel event. The close event is asynchronous: if the dialog has reopened in the
  // meantime, ignore it.
  const onClose = (): void => {
    if (open && !dialog.current?.open) close();
  };

  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      aria-describedby={describedBy}
      onCancel={close}
      onClose={onClose}
      onPointerDown={onPointerDown}
      onClick={onClick}
    >
      {open && (
        <div className="dialog-contents">
          <div className="dialog-top">
            <h2 id={id} ref={title} tabIndex={-1}>
              {heading}
            </h2>
            <button type="button" className="dialog-close" aria-label="Close" onClick={close}>
              <svg viewBox="0 0 24 24" aria-hidden="true">
                <path d="M6 6l12 12M18 6 6 18" />
              </svg>
            </button>
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}
