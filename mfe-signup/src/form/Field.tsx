import { useId, type InputHTMLAttributes, type ReactElement, type ReactNode } from "react";

import css from "./form.module.css";
import type { FieldName } from "./rules";

/** Props of {@link Field}: those of its input, and what stands around it. */
export interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly name: FieldName;
  readonly label: string;
  readonly hint?: string;
  readonly error: string | undefined;
  /** Stands beside the input. */
  readonly children?: ReactNode;
}

/** One field of the form: its label, a hint, the input, and what is wrong with it, tied together. */
export function Field({ label, hint, error, children, ...input }: FieldProps): ReactElement {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const errorId = error === undefined ? undefined : `${id}-error`;
  const describedBy = [hintId, errorId].filter((part) => part !== undefined).join(" ") || undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <p id={hintId} className={css.hint}>
          {hint}
        </p>
      )}
      <div className={css.control}>
        <input
          {...input}
          id={id}
          className={css.input}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={describedBy}
        />
        {children}
      </div>
      {error !== undefined && (
        <p id={errorId} className="field-error">
          {error}
        </p>
      )}
    </div>
  );
}
