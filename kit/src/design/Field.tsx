import { useId, type InputHTMLAttributes, type ReactElement, type ReactNode } from "react";

import { classes } from "./classes.js";

/** Props of {@link Field}: those of its input, and what stands around it. */
export interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  /** What the field is called. */
  readonly label: string;
  /** What helps to fill it in; stands between label and input. */
  readonly hint?: ReactNode;
  /** What is wrong with what was typed, in words. */
  readonly error?: string | undefined;
  /** Stands beside the input, such as a button that reveals a password. */
  readonly children?: ReactNode;
}

/** One field of a form: its label, a hint, the input, and what is wrong with it, tied together for whoever hears them. */
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
