import { Button, Field, Notice } from "@colonnade/design";
import { useState, type ReactElement } from "react";

import { call, isSignedOut, textOf } from "./api.js";
import { fieldOf } from "./format.js";
import type { SessionDescription } from "./openapi.js";

interface SignInProps {
  /** Why the form is shown, if the operator did not ask for it. */
  readonly notice?: string | undefined;
  readonly onSession: (session: SessionDescription) => void;
}

/** The sign-in form. The token is sent once, in a header, and is not kept. */
export function SignIn({ notice, onSession }: SignInProps): ReactElement {
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  const signIn = async (form: HTMLFormElement): Promise<void> => {
    const token = fieldOf(form, "token");
    // A header cannot contain other characters.
    if (!/^[\x21-\x7e]+$/.test(token)) {
      setError("Enter a token, as `gateway token` prints it.");
      return;
    }
    setBusy(true);
    try {
      onSession(await call<SessionDescription>("POST", "/session", { token }));
    } catch (failure) {
      setError(isSignedOut(failure) ? "The gateway does not know this token, or it has expired." : textOf(failure));
      setBusy(false);
    }
  };

  return (
    <main className="alone">
      <h1>Colonnade console</h1>
      {notice !== undefined && (
        <Notice role="status">
          <p>{notice}</p>
        </Notice>
      )}
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void signIn(event.currentTarget);
        }}
      >
        <Field
          label="Token"
          name="token"
          type="password"
          autoComplete="current-password"
          spellCheck={false}
          autoFocus
          hint="A token of the admin API. Its permissions apply here."
          error={error}
        />
        <Button type="submit" busy={busy}>
          Sign in
        </Button>
        <p role="alert" className="visually-hidden">
          {error}
        </p>
      </form>
    </main>
  );
}
