import { Button, Notice } from "@colonnade/design";
import { useCallback, useEffect, useState, type ReactElement } from "react";

import { call, isSignedOut, textOf } from "./api.js";
import { Frame } from "./Frame.js";
import { SignIn } from "./SignIn.js";
import { completedSignIn } from "./signInWith.js";
import type { SessionDescription } from "./openapi.js";

// Says that there may be a session. Without it no request is made that would be refused and logged. It is no secret.
const HINT = "colonnade-console-session";

const completed = completedSignIn();

type State =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly error: string }
  | { readonly kind: "signed-out"; readonly notice?: string }
  | { readonly kind: "signed-in"; readonly session: SessionDescription };

/** The console: the sign-in form, or the pages for a session. */
export function App(): ReactElement {
  const [state, setState] = useState<State>(() =>
    completed === undefined && localStorage.getItem(HINT) === null ? { kind: "signed-out" } : { kind: "loading" },
  );

  const readSession = useCallback(async (): Promise<void> => {
    try {
      setState({ kind: "signed-in", session: await call<SessionDescription>("GET", "/session") });
    } catch (error) {
      setState(isSignedOut(error) ? { kind: "signed-out" } : { kind: "failed", error: textOf(error) });
    }
  }, []);
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- state is set after the response
    if (completed === undefined && localStorage.getItem(HINT) !== null) void readSession();
    completed?.then(
      (session) => {
        setState({ kind: "signed-in", session });
      },
      (error: unknown) => {
        setState({ kind: "signed-out", notice: textOf(error) });
      },
    );
  }, [readSession]);
  useEffect(() => {
    if (state.kind === "signed-in") localStorage.setItem(HINT, "1");
    if (state.kind === "signed-out") localStorage.removeItem(HINT);
  }, [state.kind]);

  const onSignedOut = useCallback((): void => {
    setState({ kind: "signed-out", notice: "Your session has ended. Sign in again." });
  }, []);

  switch (state.kind) {
    case "loading":
      return (
        <main className="alone" aria-busy="true">
          <h1 className="visually-hidden">Colonnade console</h1>
          <p role="status">Loading…</p>
        </main>
      );
    case "failed":
      return (
        <main className="alone">
          <h1>Colonnade console</h1>
          <Notice kind="error" role="alert" title="The console cannot start">
            <p>{state.error}</p>
          </Notice>
          <Button onClick={() => void readSession()}>Try again</Button>
        </main>
      );
    case "signed-out":
      return (
        <SignIn
          notice={state.notice}
          onSession={(session) => {
            setState({ kind: "signed-in", session });
          }}
        />
      );
    case "signed-in":
      return (
        <Frame
          session={state.session}
          onSignedOut={onSignedOut}
          signOut={async () => {
            await call("DELETE", "/session").catch(() => undefined);
            setState({ kind: "signed-out" });
          }}
        />
      );
  }
}
