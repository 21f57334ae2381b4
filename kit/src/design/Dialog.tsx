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
  /** Whether it is shown. */
  readonly open: boolean;
  /** Called when the visitor leaves it: by its button, by Escape, by a press on what is around it. */
  readonly close: () => void;
  /** Its heading, which also names it. */
  readonly heading: string;
  /** Id of the element within that says what it is about, if one does. */
  readonly describedBy?: string | undefined;
  /** What stands below the heading. */
  readonly children: ReactNode;
}

/**
 * A modal dialog: the browser's own, so that what is behind it is out of reach, and the focus goes back to where it came
 * from. Its contents live as long as it is open; its heading takes the focus, ahead of any field.
 */
export function Dialog({ open, close, heading, describedBy, children }: DialogProps): ReactElement {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const pressedBackdrop = useRef(false);

  // Before the browser draws, and before it takes the dialog away: it gives the focus back only for one that is closed.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!open || !element) return undefined;
    element.showModal();
    // The start of what there is to read; a phone's keyboard stays away, too.
    title.current?.focus();
    return () => {
      element.close();
    };
  }, [open]);

  // The dialog itself is only ever hit outside its contents: on the backdrop. A press that began inside, such as
  // selecting text, is no click on it.
  const onPointerDown = (event: PointerEvent): void => {
    pressedBackdrop.current = event.target === event.currentTarget;
  };
  const onClick = (event: MouseEvent): void => {
    if (pressedBackdrop.current && event.target === event.currentTarget) close();
  };
  // Escape has closed it already, at times without an `onCancel` before. The event comes late, so it may be about an
  // earlier time it was open; and who asks for the dialog again before it comes would be refused by it.
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
