import { Button, Field } from "@colonnade/design";
import type { ReactElement } from "react";

import css from "./form.module.css";
import { PASSWORD_MIN } from "./validation";

interface PasswordFieldProps {
  readonly error: string | undefined;
  readonly revealed: boolean;
  readonly setRevealed: (revealed: boolean) => void;
  /** Before hydration the reveal button does nothing, so it is invisible. */
  readonly hydrated: boolean;
}

/** The password field with a reveal button inside. Pasting and password managers work. */
export function PasswordField({ error, revealed, setRevealed, hydrated }: PasswordFieldProps): ReactElement {
  return (
    <Field
      name="password"
      label="Password"
      hint={`At least ${String(PASSWORD_MIN)} characters; 15 is safer.`}
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
        className={hydrated ? css.reveal : css.revealPending}
        aria-label={revealed ? "Hide password" : "Show password"}
        onClick={() => {
          setRevealed(!revealed);
        }}
      >
        {revealed ? "Hide" : "Show"}
      </Button>
    </Field>
  );
}
