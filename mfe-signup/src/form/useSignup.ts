import { signupOf, type Partner } from "@colonnade/design";
import { useNavigate, useSite } from "@colonnade/kit";
import { useEffect, useReducer, useRef } from "react";

import { closeSignup, recordSubmission } from "../underage/underage";
import { destinationOf } from "../outcome/destination";
import {
  validateForm,
  fieldError,
  type FieldErrors,
  type FieldName,
  type FormValues,
  type SignupFields,
} from "./validation";
import { rejectionOf } from "./rejection";
import { forgetTyped } from "./typedHere";
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

/** A new state, or what changes the last one. */
type Action =
  | Extract<SignupState, { readonly kind: "editing" | "redirecting" }>
  | { readonly kind: "sending" }
  | { readonly kind: "unreachable"; readonly partner: Partner }
  /** The value of a field became valid. */
  | { readonly kind: "valid"; readonly name: FieldName };

function errorsOf(state: SignupState): FormErrors {
  if (state.kind === "redirecting") return { errors: {} };
  const { errors, error } = state;
  return { errors, ...(error !== undefined && { error }) };
}

function reduce(last: SignupState, action: Action): SignupState {
  switch (action.kind) {
    case "sending":
    case "unreachable":
      return { ...errorsOf(last), ...action };
    case "valid":
      if (last.kind !== "editing" || last.errors[action.name] === undefined) return last;
      return { ...errorsOf(last), kind: "editing", errors: { ...last.errors, [action.name]: undefined } };
    default:
      return action;
  }
}

/** The page after a sign-up. Navigating to the form's own page would change nothing, so that becomes the success page. */
function pageAfter(path: string, success: string, isOnPage: boolean): string {
  const [pathname] = path.split("#");
  return isOnPage && pathname === window.location.pathname ? success : path;
}

/** Sends a sign-up, and records that and the result. */
async function sendRecorded(host: string | null, fields: SignupFields, cancel: AbortSignal): Promise<Outcome> {
  const record = recordSubmission(host);
  const outcome = await sendSignup(fields, cancel);
  const result = outcome.kind === "created" ? "accepted" : outcome.result;
  if (result) record(result);
  return outcome;
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
  const { host } = signupOf(site);
  const [state, dispatch] = useReducer(reduce, {
    kind: "editing",
    errors: {},
    // The form moves the focus itself, because the page may render after the header.
    ...(error !== undefined && { ...rejectionOf(error, host), focus: undefined }),
  });

  useEffect(() => {
    if (error !== undefined) recordSubmission(host);
  }, [error, host]);

  useEffect(
    () => () => {
      request.current?.abort();
      request.current = null;
    },
    [],
  );

  const showError = (text: string): void => {
    dispatch({ kind: "editing", ...rejectionOf(text, host) });
  };

  const follow = (redirectUrl: unknown): void => {
    const destination = destinationOf(redirectUrl, window.location.origin, signupOf(site));
    if (destination.kind !== "page") {
      dispatch({
        kind: "redirecting",
        url: destination.url,
        host: destination.kind === "external" ? destination.host : null,
      });
      return;
    }
    onDone?.();
    const path = pageAfter(destination.path, signupOf(site).success, !onDone);
    if (path === signupOf(site).success) recordSuccess();
    void navigate(path);
  };

  const handleOutcome = (outcome: Outcome): void => {
    if (outcome.kind === "canceled") return;
    request.current = null;
    if (outcome.kind === "created") {
      forgetTyped();
      follow(outcome.redirectUrl);
    } else if (outcome.kind === "rejected") showError(outcome.error);
    else {
      console.warn(`Sign-up is unavailable: ${outcome.cause}.`);
      if (site.integrations.partner) dispatch({ kind: "unreachable", partner: site.integrations.partner });
      else showError(SIGNUP_FAILED);
    }
  };

  return {
    state,
    submit(values) {
      if (request.current) return;
      const result = validateForm(values);
      if (result.kind === "underage") {
        forgetTyped();
        closeSignup();
      } else if (result.kind === "invalid") {
        const [focus] = Object.keys(result.errors) as FieldName[];
        dispatch({ kind: "editing", errors: result.errors, focus });
      } else {
        request.current = new AbortController();
        dispatch({ kind: "sending" });
        void sendRecorded(host, result.fields, request.current.signal).then(handleOutcome);
      }
    },
    revalidate(name, text) {
      if (fieldError(name, text) === undefined) dispatch({ kind: "valid", name });
    },
    back() {
      dispatch({ kind: "editing", errors: {}, focus: "start" });
    },
  };
}
