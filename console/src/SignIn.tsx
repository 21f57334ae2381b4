import { Button, Field, Notice } from "@colonnade/design";
import { useEffect, useRef, useState, type ReactElement } from "react";

import { call, isSignedOut, textOf } from "./api.js";
import { fieldOf } from "./format.js";
import { Message } from "./parts/Message.js";
import { signInWith } from "./signInWith.js";
import type { IdentityProviders, SessionDescription } from "./openapi.js";

interface SignInProps {
  /** Why the form is shown, if the operator did not ask for it. */
  readonly notice?: string | undefined;
  readonly onSession: (session: SessionDescription) => void;
}

/** The names of the identity providers at which people can sign in; undefined until they are known. */
function useProviders(): readonly string[] | undefined {
  const [names, setNames] = useState<readonly string[]>();
  useEffect(() => {
    const abort = new AbortController();
    call<IdentityProviders>("GET", "/sign-in", { signal: abort.signal }).then(
      ({ providers }) => {
        setNames(providers.filter((provider) => provider.console).map(({ name }) => name));
      },
      // A token works without them.
      () => {
        if (!abort.signal.aborted) setNames([]);
      },
    );
    return () => {
      abort.abort();
    };
  }, []);
  return names;
}

/** The sign-in page: identity providers, if there are any, and a form for a token, which waits for no response. */
export function SignIn({ notice, onSession }: SignInProps): ReactElement {
  const providers = useProviders();
  const [busy, setBusy] = useState(false);
  // An attempt replaces what the page says of the one before.
  const [said, setSaid] = useState(notice);

  const leaveFor = async (provider: string): Promise<void> => {
    setBusy(true);
    setSaid(undefined);
    try {
      await signInWith(provider);
    } catch (failure) {
      setSaid(textOf(failure));
      setBusy(false);
    }
  };

  return (
    <main className="alone">
      <h1>Colonnade console</h1>
      {said !== undefined && (
        <Notice role={said === notice ? "status" : "alert"}>
          <p>
            <Message>{said}</Message>
          </p>
        </Notice>
      )}
      {providers?.map((provider) => (
        <Button key={provider} disabled={busy} onClick={() => void leaveFor(provider)}>
          Sign in with {provider}
        </Button>
      ))}
      <TokenForm
        providers={providers?.length}
        disabled={busy}
        onSession={onSession}
        onAttempt={() => {
          setSaid(undefined);
        }}
      />
    </main>
  );
}

interface TokenFormProps extends Pick<SignInProps, "onSession"> {
  /** The number of identity providers, at which most people sign in; undefined until it is known. */
  readonly providers: number | undefined;
  readonly disabled: boolean;
  readonly onAttempt: () => void;
}

/** The form for a token, which is sent once, in a header, and is not kept. */
function TokenForm({ providers, disabled, onSession, onAttempt }: TokenFormProps): ReactElement {
  const element = useRef<HTMLFormElement>(null);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  useEffect(() => {
    if (providers === 0 && document.activeElement === document.body) element.current?.querySelector("input")?.focus();
  }, [providers]);

  const signIn = async (form: HTMLFormElement): Promise<void> => {
    onAttempt();
    const token = fieldOf(form, "token");
    // A header cannot contain other characters.
    if (!/^[\x21-\x7e]+$/.test(token)) {
      setError("Enter a token, as “gateway token” prints it.");
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
    <form
      ref={element}
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && !disabled) void signIn(event.currentTarget);
      }}
    >
      <Field
        label="Token"
        name="token"
        type="password"
        autoComplete="current-password"
        spellCheck={false}
        hint="A token of the admin API. Its permissions apply here."
        error={error}
      />
      <Button type="submit" quiet={Boolean(providers)} busy={busy} disabled={disabled}>
        Sign in
      </Button>
      <p role="alert" className="visually-hidden">
        {error}
      </p>
    </form>
  );
}
