import { useLayoutEffect, useRef, type PointerEvent, type ReactElement, type ReactNode } from "react";

/** Props of {@link PlaceDialog}. */
export interface PlaceDialogProps {
  readonly label: string;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** The shell's own dialog, for while the join dialog is on its way or where it cannot come. */
export function PlaceDialog({ label, close, children }: PlaceDialogProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Closed, not just removed: that is what gives focus back to the opener.
    return () => element?.close();
  }, []);
  // The dialog itself is only ever hit outside its contents: on the backdrop.
  const onPointerDown = (event: PointerEvent): void => {
    if (event.target === event.currentTarget) close();
  };
  return (
    <dialog className="place-dialog" ref={dialog} aria-label={label} onCancel={close} onPointerDown={onPointerDown}>
      <div className="place-dialog-contents">
        {children}
        <button type="button" className="button quiet" onClick={close}>
          Close
        </button>
      </div>
    </dialog>
  );
}
