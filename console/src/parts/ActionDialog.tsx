import { Button, Dialog, Field, Notice } from "@colonnade/design";
import { useState, type ReactElement, type ReactNode } from "react";

import { textOf } from "../api.js";
import { useConsole } from "../data.js";
import { fieldOf } from "../format.js";

interface ActionDialogProps {
  readonly heading: string;
  /** What the action changes, and further choices. */
  readonly children: ReactNode;
  /** The label of the button that acts. */
  readonly action: string;
  /** Whether the action is possible now. */
  readonly ready?: boolean;
  /** Whether the change has a reason. */
  readonly withReason?: boolean;
  /** Makes the change. An error stays in the dialog. */
  readonly act: (reason: string) => Promise<unknown>;
  readonly close: () => void;
}

/** Asks for a reason, and makes a change after it has been shown. Mounted only while it is open. */
export function ActionDialog({
  heading,
  children,
  action,
  ready = true,
  withReason = true,
  act,
  close,
}: ActionDialogProps): ReactElement {
  const { reload } = useConsole();
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const submit = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await act(fieldOf(form, "reason"));
      await reload();
      close();
    } catch (failure) {
      setError(textOf(failure));
      setBusy(false);
    }
  };

  return (
    <Dialog open close={close} heading={heading}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && ready) void submit(event.currentTarget);
        }}
      >
        {children}
        {withReason && (
          <Field
            label="Reason"
            name="reason"
            maxLength={500}
            autoComplete="off"
            hint="Optional. The history and the log show it."
          />
        )}
        {error !== null && (
          <Notice kind="error" role="alert" title="Nothing was changed">
            <p>{error}</p>
          </Notice>
        )}
        <div className="actions">
          <Button type="submit" busy={busy} disabled={!ready}>
            {action}
          </Button>
          <Button quiet onClick={close}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
