import { Button, Field, Notice, useHydrated, useSite, type FormAnswer } from "@colonnade/kit";
import { useEffect, useRef, useState, type InputEvent, type ReactElement, type SubmitEvent } from "react";

import { nothingHasFocus } from "../focus";
import { Leaving } from "../outcome/Leaving";
import { OutOfReach } from "../outcome/OutOfReach";
import { PartnerLink } from "../outcome/PartnerLink";
import { Disclosure } from "./Disclosure";
import css from "./form.module.css";
import { PasswordField } from "./PasswordField";
import type { FieldName, Typed } from "./rules";
import { SIGNUP_PATH } from "./send";
import { useSignup, type FocusTarget } from "./useSignup";

/** Props of {@link SignupForm}. */
export interface SignupFormProps {
  readonly answer?: FormAnswer | undefined;
  /** Called when the visitor is taken to another page of this site. */
  readonly onDone?: () => void;
}

// The ages from 18 to 120, for browsers that check without script.
const AGE_PATTERN = "0*(1[89]|[2-9][0-9]|1[01][0-9]|120)";

function typedIn(form: HTMLFormElement): Typed {
  const data = new FormData(form);
  const text = (name: FieldName): string => {
    const value = data.get(name);
    return typeof value === "string" ? value : "";
  };
  return { email: text("email"), password: text("password"), age: text("age") };
}

function focusIn(form: HTMLFormElement, target: FocusTarget): void {
  const selector = target === "error" ? "[role=alert]" : `[name=${target === "start" ? "email" : target}]`;
  form.querySelector<HTMLElement>(selector)?.focus();
}

/**
 * The sign-up form, of the page and of the dialog alike. It is a form that posts to the gateway; once
 * script has taken over, it is checked and sent from here. Its fields belong to the browser, so what was
 * typed outlives that moment, a refusal and a detour.
 */
function ConnectedForm({ answer, onDone, host }: SignupFormProps & { readonly host: string }): ReactElement {
  const { partner } = useSite();
  const { state, submit, correct, back } = useSignup(answer?.error, onDone);
  const [revealed, setRevealed] = useState(false);
  const hydrated = useHydrated();
  const form = useRef<HTMLFormElement>(null);
  const editing = state.kind === "editing" ? state : null;
  const sending = state.kind === "sending";
  const errors = editing?.errors ?? {};

  useEffect(() => {
    if (state.kind === "editing" && state.focus && form.current) focusIn(form.current, state.focus);
  }, [state]);

  // The page is there later than its frame, which the visitor may be using by then.
  useEffect(() => {
    if (answer && form.current && nothingHasFocus()) focusIn(form.current, "error");
  }, [answer]);

  const onSubmit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    // Password managers look at a password field, not at its text.
    setRevealed(false);
    submit(typedIn(event.currentTarget));
  };
  const onInput = (event: InputEvent<HTMLFormElement>): void => {
    if (event.target instanceof HTMLInputElement) correct(event.target.name as FieldName, event.target.value);
  };

  if (state.kind === "leaving") return <Leaving url={state.url} host={state.host} />;
  return (
    <>
      {state.kind === "unreachable" && <OutOfReach partner={state.partner} back={back} />}
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
            {answer?.unreachable && partner && editing.error === answer.error && (
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
          defaultValue={answer?.email}
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

/** The sign-up form, or in words that there is none: nobody is asked for details that nobody would receive. */
export function SignupForm(props: SignupFormProps): ReactElement {
  const { host } = useSite().signup;
  if (host !== null) return <ConnectedForm {...props} host={host} />;
  return <p>Sign-up is not available at the moment: no sign-up service is connected, so no account can be created.</p>;
}
