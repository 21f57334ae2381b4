import { useId, type InputHTMLAttributes, type ReactElement, type ReactNode } from "react";

import { classes } from "./classes.js";

/** Props of {@link Field}: those of its input. */
export interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  /** Label. */
  readonly label: string;
  /** Help text between label and input. */
  readonly hint?: ReactNode;
  /** Error message. Marks the input as invalid. */
  readonly error?: string | undefined;
  /** Content next to the input, such as a button that reveals a password. */
  readonly children?: ReactNode;
}

/** A form field: label, hint, input and error message, associated for assistive technology. */
export function Field({ label, hint, error, children, ...input }: FieldProps): ReactElement {
  const id = useId();
  const hintId = hint === undefined ? "" : `${id}-hint`;
  const errorId = error === undefined ? "" : `${id}-error`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hintId && (
        <p id={hintId} className="field-hint">
          {hint}
        </p>
      )}
      <div className="field-control">
        <input
          {...input}
          id={id}
          aria-invalid={errorId ? true : undefined}
          aria-describedby={classes(hintId, errorId, input["aria-describedby"]) || undefined}
        />
        {children}
      </div>
      {errorId && (
        <p id={errorId} className="field-error">
          {error}
        </p>
      )}
    </div>
  );
}
