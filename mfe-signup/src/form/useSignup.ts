import { useNavigate, useSite, type Partner } from "@colonnade/kit";
import { useEffect, useRef, useState } from "react";

import { closeSignup, recordSubmission } from "../underage/underage";
import { destinationOf } from "../outcome/destination";
import { validateForm, fieldError, type FieldErrors, type FieldName, type FormValues } from "./validation";
import { rejectionOf } from "./rejection";
import { SIGNUP_FAILED, sendSignup, type Outcome } from "./send";
import { recordSuccess } from "../outcome/success";

/** Focus target: a field, the error above the form, or the first field. */
export type FocusTarget = FieldName | "error" | "start";

/** Errors that the form shows. */
interface FormErrors {
  readonly errors: FieldErrors;
  /** Error above the form, if it belongs to no field. */
  readonly error?: string;
}

/** State of a sign-up form. Errors stay while the form is sent, so that nothing moves under the visitor's finger. */
export type SignupState =
  | (FormErrors & { readonly kind: "editing"; readonly focus?: FocusTarget | undefined })
  | (FormErrors & { readonly kind: "sending" })
  | (FormErrors & { readonly kind: "unreachable"; readonly partner: Partner })
  /** The account was created. `host` is set if the redirect leaves this origin. */
  | { readonly kind: "redirecting"; readonly url: string; readonly host: string | null };

/** State and actions of a sign-up form. */
export interface Signup {
  readonly state: SignupState;
  /** Validates and sends the form. Does nothing while a request is pending. */
  readonly submit: (values: FormValues) => void;
  /** Clears a field's error if its new value is valid. */
  readonly revalidate: (name: FieldName, text: string) => void;
  /** Returns from the partner offer to the form. */
  readonly back: () => void;
}

function errorsOf(state: SignupState): FormErrors {
  if (state.kind === "redirecting") return { errors: {} };
  const { errors, error } = state;
  return { errors, ...(error !== undefined && { error }) };
}

/**
 * Manages a sign-up from the form to its outcome. Unmounting cancels the request.
 *
 * @param error Error of an earlier form post without JavaScript.
 * @param onDone Called before navigating to another page. Undefined if the form is part of the current page.
 */
export function useSignup(error: string | undefined, onDone: (() => void) | undefined): Signup {
  const site = useSite();
  const navigate = useNavigate();
  const request = useRef<AbortController | null>(null);
  const [state, setState] = useState<SignupState>({
    kind: "editing",
    errors: {},
    // The form moves the focus itself, because the page may render after the header.
    ...(error !== undefined && { ...rejectionOf(error, site.signup.host), focus: undefined }),
  });

  useEffect(() => {
    if (error !== undefined) recordSubmission();
  }, [error]);

  useEffect(
    () => () => {
      request.current?.abort();
      request.current = null;
    },
    [],
  );

  const showError = (text: string): void => {
    setState({ kind: "editing", ...rejectionOf(text, site.signup.host) });
  };

  const replaceForm = (partner: Partner): void => {
    setState((last) => ({ ...errorsOf(last), kind: "unreachable", partner }));
  };

  const follow = (redirectUrl: unknown): void => {
    const destination = destinationOf(redirectUrl, window.location.origin, site.signup);
    if (destination.kind === "page") {
      onDone?.();
      // Navigating to the form's own page would change nothing, so show the success page instead.
      const [pathname] = destination.path.split("#");
      const isCurrentPage = !onDone && pathname === window.location.pathname;
      const path = isCurrentPage ? site.signup.success : destination.path;
      if (path === site.signup.success) recordSuccess();
      void navigate(path);
    } else {
      setState({
        kind: "redirecting",
        url: destination.url,
        host: destination.kind === "external" ? destination.host : null,
      });
    }
  };

  const handleOutcome = (outcome: Exclude<Outcome, { kind: "canceled" }>): void => {
    switch (outcome.kind) {
      case "created":
        follow(outcome.redirectUrl);
        break;
      case "rejected":
        showError(outcome.error);
        break;
      case "unreachable":
        console.warn(`Sign-up is unavailable: ${outcome.cause}.`);
        if (site.partner) replaceForm(site.partner);
        else showError(SIGNUP_FAILED);
    }
  };

  const submit = (values: FormValues): void => {
    if (request.current) return;
    const result = validateForm(values);
    if (result.kind === "underage") {
      closeSignup();
      return;
    }
    if (result.kind === "invalid") {
      const [first] = Object.keys(result.errors) as FieldName[];
      setState({ kind: "editing", errors: result.errors, ...(first && { focus: first }) });
      return;
    }
    recordSubmission();
    const cancel = new AbortController();
    request.current = cancel;
    setState((last) => ({ ...errorsOf(last), kind: "sending" }));
    void sendSignup(result.fields, cancel.signal).then((outcome) => {
      if (outcome.kind === "canceled") return;
      request.current = null;
      handleOutcome(outcome);
    });
  };

  return {
    state,
    submit,
    revalidate(name, text) {
      if (state.kind !== "editing" || state.errors[name] === undefined || fieldError(name, text) !== undefined) return;
      const errors = { ...state.errors, [name]: undefined };
      setState({ kind: "editing", errors, ...(state.error !== undefined && { error: state.error }) });
    },
    back() {
      setState({ kind: "editing", errors: {}, focus: "start" });
    },
  };
}
