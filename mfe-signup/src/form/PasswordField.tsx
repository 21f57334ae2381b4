import { Button, Field } from "@colonnade/kit";
import type { ReactElement } from "react";

import css from "./form.module.css";
import { PASSWORD_MIN } from "./rules";

/** Props of {@link PasswordField}. */
export interface PasswordFieldProps {
  readonly error: string | undefined;
  readonly revealed: boolean;
  readonly setRevealed: (revealed: boolean) => void;
  /** Without script the reveal button does nothing, so its place stays empty. */
  readonly hydrated: boolean;
}

/** The password, with a button that shows what is typed. Paste and password managers work as everywhere. */
export function PasswordField({ error, revealed, setRevealed, hydrated }: PasswordFieldProps): ReactElement {
  return (
    <Field
      name="password"
      label="Password"
      hint={`At least ${String(PASSWORD_MIN)} characters. Spaces count.`}
      error={error}
      type={revealed ? "text" : "password"}
      autoComplete="new-password"
      autoCapitalize="none"
      spellCheck={false}
      required
      minLength={PASSWORD_MIN}
    >
      <Button
        quiet
        className={hydrated ? css.reveal : css.revealLater}
        aria-pressed={revealed}
        onClick={() => {
          setRevealed(!revealed);
        }}
      >
        Show password
      </Button>
    </Field>
  );
}
