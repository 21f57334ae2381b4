import { useNavigate, useSite, type Partner } from "@colonnade/kit";
import { useEffect, useRef, useState } from "react";

import { endSignup, noteSent } from "../ending/ended";
import { destinationOf } from "../outcome/destination";
import { checkForm, fieldError, type FieldErrors, type FieldName, type Typed } from "./rules";
import { SIGNUP_FAILED, sendSignup, type Outcome } from "./send";

/** Where the focus is to go: a field, what is said above the form, or the form's start. */
export type FocusTarget = FieldName | "error" | "start";

/** What a sign-up form is showing. */
export type SignupState =
  | { readonly kind: "editing"; readonly errors: FieldErrors; readonly error?: string; readonly focus?: FocusTarget }
  | { readonly kind: "sending" }
  | { readonly kind: "unreachable"; readonly partner: Partner }
  /** The account was created; `host` where the visitor leaves this origin. */
  | { readonly kind: "leaving"; readonly url: string; readonly host: string | null };

/** A sign-up in one form. */
export interface Signup {
  readonly state: SignupState;
  /** Checks what was typed and sends it. Does nothing while an earlier one is on its way. */
  readonly submit: (typed: Typed) => void;
  /** A field was changed: takes its error away once it is right. */
  readonly correct: (name: FieldName, text: string) => void;
  /** Back from the partner's offer to the form. */
  readonly back: () => void;
}

/**
 * Runs a sign-up from the form to its outcome. What is on its way is cancelled when the form goes.
 *
 * @param error What an earlier form post without script was answered.
 * @param onDone Called when the visitor is taken to a page of this site. Without it the form is part of the page that
 *   is shown.
 */
export function useSignup(error: string | undefined, onDone: (() => void) | undefined): Signup {
  const site = useSite();
  const navigate = useNavigate();
  const request = useRef<AbortController | null>(null);
  const [state, setState] = useState<SignupState>({
    kind: "editing",
    errors: {},
    ...(error !== undefined && { error }),
  });

  useEffect(() => {
    if (error !== undefined) noteSent();
  }, [error]);

  useEffect(
    () => () => {
      request.current?.abort();
      request.current = null;
    },
    [],
  );

  const refuse = (text: string): void => {
    setState({ kind: "editing", errors: {}, error: text, focus: "error" });
  };

  const follow = (redirectUrl: unknown): void => {
    const destination = destinationOf(redirectUrl, window.location.origin, site.signup);
    if (destination.kind === "page") {
      onDone?.();
      // Where the form itself stands nothing would change, and nobody would learn that there is an account.
      const [pathname] = destination.path.split("#");
      const isHere = !onDone && pathname === window.location.pathname;
      void navigate(isHere ? site.signup.success : destination.path);
    } else {
      setState({ kind: "leaving", url: destination.url, host: destination.kind === "away" ? destination.host : null });
    }
  };

  const settle = (outcome: Exclude<Outcome, { kind: "cancelled" }>): void => {
    switch (outcome.kind) {
      case "created":
        follow(outcome.redirectUrl);
        break;
      case "refused":
        refuse(outcome.error);
        break;
      case "unreachable":
        console.warn(`Sign-up is out of reach: ${outcome.cause}.`);
        if (site.partner) setState({ kind: "unreachable", partner: site.partner });
        else refuse(SIGNUP_FAILED);
    }
  };

  const submit = (typed: Typed): void => {
    if (request.current) return;
    const checked = checkForm(typed);
    if (checked.kind === "underage") {
      endSignup();
      return;
    }
    if (checked.kind === "invalid") {
      const [first] = Object.keys(checked.errors) as FieldName[];
      setState({ kind: "editing", errors: checked.errors, ...(first && { focus: first }) });
      return;
    }
    noteSent();
    const cancel = new AbortController();
    request.current = cancel;
    setState({ kind: "sending" });
    void sendSignup(checked.fields, cancel.signal).then((outcome) => {
      if (outcome.kind === "cancelled") return;
      request.current = null;
      settle(outcome);
    });
  };

  return {
    state,
    submit,
    correct(name, text) {
      if (state.kind !== "editing" || state.errors[name] === undefined || fieldError(name, text) !== undefined) return;
      const errors = { ...state.errors, [name]: undefined };
      setState({ kind: "editing", errors, ...(state.error !== undefined && { error: state.error }) });
    },
    back() {
      setState({ kind: "editing", errors: {}, focus: "start" });
    },
  };
}
