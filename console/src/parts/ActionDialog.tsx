import { Button, Dialog, Field, Notice } from "@colonnade/design";
import { useState, type ReactElement, type ReactNode } from "react";

import { problemsOf } from "../api.js";
import { useConsole, type Outcome } from "../data.js";
import { fieldOf } from "../format.js";
import { Message } from "./Message.js";

interface ActionDialogProps<Result> {
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
  readonly act: (reason: string) => Promise<Result>;
  /** What makes the change possible after an error with these problems. */
  readonly remedy?: (problems: readonly string[]) => ReactNode;
  /** What the change did. The page shows it. */
  readonly done: (result: Result) => Outcome;
  readonly close: () => void;
}

/** Asks for a reason, and makes a change after it has been shown. Mounted only while it is open. */
export function ActionDialog<Result>({
  heading,
  children,
  action,
  ready = true,
  withReason = true,
  act,
  remedy,
  done,
  close,
}: ActionDialogProps<Result>): ReactElement {
  const { reload, announce } = useConsole();
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const problems = problemsOf(error);

  const submit = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const result = await act(fieldOf(form, "reason"));
      await reload();
      close();
      announce(done(result));
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
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
            <p>
              <Message>{error.message}</Message>
            </p>
            {problems.length > 0 && (
              <ul>
                {problems.map((problem) => (
                  <li key={problem}>
                    <Message>{problem}</Message>
                  </li>
                ))}
              </ul>
            )}
          </Notice>
        )}
        {remedy?.(problems)}
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
