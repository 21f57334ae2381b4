import { Button, Field, Notice, useHydrated, useSite, type FormResult } from "@colonnade/kit";
import { useEffect, useRef, useState, type InputEvent, type ReactElement, type SubmitEvent } from "react";

import { nothingHasFocus } from "../focus";
import { Redirecting } from "../outcome/Redirecting";
import { Unreachable } from "../outcome/Unreachable";
import { PartnerLink } from "../outcome/PartnerLink";
import { Disclosure } from "./Disclosure";
import css from "./form.module.css";
import { PasswordField } from "./PasswordField";
import type { FieldName, FormValues } from "./validation";
import { SIGNUP_PATH } from "./send";
import { useSignup, type FocusTarget } from "./useSignup";

/** Props of {@link SignupForm}. */
export interface SignupFormProps {
  readonly formResult?: FormResult | undefined;
  /** Called before navigating to another page of the site. */
  readonly onDone?: () => void;
}

// Ages from 18 to 120, for validation by the browser before hydration.
const AGE_PATTERN = "0*(1[89]|[2-9][0-9]|1[01][0-9]|120)";

function readValues(form: HTMLFormElement): FormValues {
  const data = new FormData(form);
  const text = (name: FieldName): string => {
    const value = data.get(name);
    return typeof value === "string" ? value : "";
  };
  return { email: text("email"), password: text("password"), age: text("age") };
}

function moveFocus(form: HTMLFormElement, target: FocusTarget): void {
  const selector = target === "error" ? "[role=alert]" : `[name=${target === "start" ? "email" : target}]`;
  form.querySelector<HTMLElement>(selector)?.focus();
}

/**
 * The sign-up form of the page and the dialog. Without JavaScript it posts to the gateway; after hydration, this
 * component validates and sends it. The fields are uncontrolled, so their values survive hydration, errors and the
 * partner offer.
 */
function ConnectedForm({ formResult, onDone, host }: SignupFormProps & { readonly host: string }): ReactElement {
  const { partner } = useSite();
  const { state, submit, revalidate, back } = useSignup(formResult?.error, onDone);
  const [revealed, setRevealed] = useState(false);
  const hydrated = useHydrated();
  const form = useRef<HTMLFormElement>(null);
  const editing = state.kind === "editing" ? state : null;
  const sending = state.kind === "sending";
  const errors = editing?.errors ?? {};

  useEffect(() => {
    if (state.kind === "editing" && state.focus && form.current) moveFocus(form.current, state.focus);
  }, [state]);

  // The page may render after the header, which the visitor may already be using.
  useEffect(() => {
    if (formResult && form.current && nothingHasFocus()) moveFocus(form.current, "error");
  }, [formResult]);

  const onSubmit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    // Password managers only recognize fields of type password.
    setRevealed(false);
    submit(readValues(event.currentTarget));
  };
  const onInput = (event: InputEvent<HTMLFormElement>): void => {
    if (event.target instanceof HTMLInputElement) revalidate(event.target.name as FieldName, event.target.value);
  };

  if (state.kind === "redirecting") return <Redirecting url={state.url} host={state.host} />;
  return (
    <>
      {state.kind === "unreachable" && <Unreachable partner={state.partner} back={back} />}
      <form
        ref={form}
        className={css.form}
        hidden={state.kind === "unreachable"}
        method="post"
        action={SIGNUP_PATH}
        noValidate={hydrated}
        onSubmit={onSubmit}
        onInput={onInput}
      >
        {editing?.error !== undefined && (
          <Notice kind="error" role="alert" tabIndex={-1}>
            <p>{editing.error}</p>
            {formResult?.unreachable && partner && editing.error === formResult.error && (
              <p>
                You can go on to our partner instead: <PartnerLink partner={partner} />
              </p>
            )}
          </Notice>
        )}
        <Field
          name="email"
          label="E-mail"
          error={errors.email}
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
          required
          defaultValue={formResult?.email}
        />
        <PasswordField error={errors.password} revealed={revealed} setRevealed={setRevealed} hydrated={hydrated} />
        <Field
          name="age"
          label="Age"
          hint="Your stated age in whole years, from 18 to 120."
          error={errors.age}
          type="text"
          inputMode="numeric"
          autoComplete="off"
          pattern={AGE_PATTERN}
          title="A whole number from 18 to 120"
          required
        />
        <Disclosure host={host} />
        <Button type="submit" busy={sending}>
          {sending ? "Creating Account..." : "Continue"}
        </Button>
        <p role="status" className="visually-hidden">
          {sending && "Your sign-up is being sent."}
        </p>
      </form>
    </>
  );
}

/** The sign-up form, or a message if no sign-up service is configured. */
export function SignupForm(props: SignupFormProps): ReactElement {
  const { host } = useSite().signup;
  if (host !== null) return <ConnectedForm {...props} host={host} />;
  return <p>Sign-up is not available at the moment: no sign-up service is connected, so no account can be created.</p>;
}
