import { Button, Field, Notice, signupOf } from "@colonnade/design";
import { useHydrated, useSite, type FormResult } from "@colonnade/kit";
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type InputEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  type SubmitEvent,
} from "react";

import { Actions } from "../actions/Actions";
import { nothingHasFocus } from "../focus";
import { Redirecting } from "../outcome/Redirecting";
import { Unreachable } from "../outcome/Unreachable";
import { PartnerLink } from "../outcome/PartnerLink";
import { Disclosure, DisclosureSummary, LegalLinks } from "./Disclosure";
import { useErrorTitle } from "./errorTitle";
import css from "./form.module.css";
import { PasswordField } from "./PasswordField";
import type { Replacement } from "./signupHeading";
import type { FieldErrors, FieldName, FormValues } from "./validation";
import { rejectionOf } from "./rejection";
import { SIGNUP_PATH } from "./send";
import { useTypedHere } from "./typedHere";
import { useSignup, type FocusTarget, type SignupState } from "./useSignup";

interface SignupFormProps {
  readonly formResult?: FormResult | undefined;
  /** Closes the dialog that contains the form. Undefined on the page. */
  readonly close?: () => void;
  /** Part of the form, above its fields. */
  readonly notice?: ReactNode;
  /** Called with the panel that replaces the form, or null when the form is back. */
  readonly onReplace: (replacement: Replacement | null) => void;
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

// One text, alone in its element, so that it also changes on a page that the browser has translated.
function statusOf({ kind }: SignupState, revealed: boolean): string {
  if (kind === "sending") return "Your sign-up is being sent.";
  return kind === "editing" && revealed ? "Your password is showing." : "";
}

function moveFocus(form: HTMLFormElement, target: FocusTarget): void {
  const selector = target === "error" ? "[role=alert]" : `[name=${target === "start" ? "email" : target}]`;
  form.querySelector<HTMLElement>(selector)?.focus();
}

interface FieldsProps extends Pick<SignupFormProps, "formResult" | "notice"> {
  readonly typed: Partial<FormValues> | undefined;
  readonly errors: FieldErrors;
  readonly error: string | undefined;
  readonly revealed: boolean;
  readonly setRevealed: (revealed: boolean) => void;
}

/** The fields are uncontrolled, so their values survive hydration, errors and the partner offer. */
function Fields({ formResult, notice, typed, errors, error, revealed, setRevealed }: FieldsProps): ReactElement {
  const { partner } = useSite().integrations;
  const hydrated = useHydrated();
  return (
    <div className={css.top}>
      {notice}
      <div className={css.fields}>
        {error !== undefined && (
          <Notice kind="error" role="alert" tabIndex={-1}>
            <p>{error}</p>
            {formResult?.code === "unreachable" && partner && error === formResult.message && (
              <p>
                You can go to our partner instead: <PartnerLink partner={partner} />
              </p>
            )}
          </Notice>
        )}
        <Field
          name="email"
          label="Email"
          error={errors.email}
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
          required
          defaultValue={formResult?.values.email ?? typed?.email}
        />
        <PasswordField error={errors.password} revealed={revealed} setRevealed={setRevealed} hydrated={hydrated} />
        <Field
          name="age"
          label="Age"
          hint="Your stated age, 18 or older."
          error={errors.age}
          type="text"
          inputMode="numeric"
          autoComplete="off"
          pattern={AGE_PATTERN}
          title="A whole number from 18 to 120"
          required
          defaultValue={typed?.age}
        />
      </div>
    </div>
  );
}

/** Moves the focus to what a state of the form, or the result of a form post, is about. */
function useFocus(form: RefObject<HTMLFormElement | null>, state: SignupState, result?: FocusTarget): void {
  useEffect(() => {
    if (state.kind === "editing" && state.focus && form.current) moveFocus(form.current, state.focus);
  }, [form, state]);

  // The page may render after the header, which the visitor may already be using.
  useEffect(() => {
    if (result && form.current && nothingHasFocus()) moveFocus(form.current, result);
  }, [form, result]);
}

/**
 * The sign-up form of the page and the dialog. Without JavaScript it posts to the gateway; after hydration, this
 * component validates and sends it.
 */
function ConnectedForm({
  formResult,
  close,
  notice,
  onReplace,
  host,
}: SignupFormProps & { readonly host: string }): ReactElement {
  const { state, submit, revalidate, back } = useSignup(formResult?.message, close);
  const [typed, keep] = useTypedHere();
  const [revealed, setRevealed] = useState(false);
  const hydrated = useHydrated();
  const form = useRef<HTMLFormElement>(null);
  const sending = state.kind === "sending";
  const replacement = state.kind === "unreachable" || state.kind === "redirecting" ? state.kind : null;
  const docked = close !== undefined;
  const { errors, error } = state.kind === "redirecting" ? { errors: {} } : state;
  const failed = error !== undefined || Object.values(errors).some(Boolean);
  useErrorTitle(failed && !docked);
  useFocus(form, state, formResult && rejectionOf(formResult.message, host).focus);

  // A layout effect, so that the heading never contradicts what it stands above.
  useLayoutEffect(() => {
    if (!replacement) return undefined;
    onReplace(replacement);
    return () => {
      onReplace(null);
    };
  }, [replacement, onReplace]);

  if (state.kind === "redirecting") return <Redirecting url={state.url} host={state.host} docked={docked} />;
  return (
    <div className={css.stack}>
      <form
        ref={form}
        className={docked ? css.form : css.wide}
        // Keeps its space, so that 'Stop' appears where the submit button was.
        hidden={replacement !== null}
        method="post"
        action={SIGNUP_PATH}
        noValidate={hydrated}
        onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
          event.preventDefault();
          // Password managers only recognize fields of type password.
          setRevealed(false);
          const values = readValues(event.currentTarget);
          // A password manager may have filled in the fields without an event.
          if (docked) keep(values);
          submit(values);
        }}
        onInput={({ target, currentTarget }: InputEvent<HTMLFormElement>) => {
          if (docked) keep(readValues(currentTarget));
          if (target instanceof HTMLInputElement) revalidate(target.name as FieldName, target.value);
        }}
      >
        <Fields {...{ formResult, notice, errors, error, revealed, setRevealed }} typed={docked ? typed : undefined} />
        <div className={docked ? css.dock : css.below}>
          <Disclosure />
          <LegalLinks />
          <p role="status" className="visually-hidden">
            {statusOf(state, revealed)}
          </p>
          {/* Errors need the room of the summary, which was shown when the form was sent. */}
          <Actions docked={docked} summary={docked && !failed ? <DisclosureSummary /> : undefined}>
            <Button type="submit" busy={sending}>
              {sending ? "Creating Account..." : "Continue"}
            </Button>
            {close && (
              <Button quiet onClick={close}>
                Cancel
              </Button>
            )}
          </Actions>
        </div>
      </form>
      {state.kind === "unreachable" && <Unreachable partner={state.partner} docked={docked} back={back} />}
    </div>
  );
}

/** The sign-up form, or a message if no sign-up service is configured. */
export function SignupForm(props: SignupFormProps): ReactElement {
  const { host } = signupOf(useSite());
  if (host !== null) return <ConnectedForm {...props} host={host} />;
  return (
    <>
      {props.notice}
      <p>No sign-up service is connected, so we can’t create accounts right now.</p>
      {props.close && (
        <Actions docked>
          <Button onClick={props.close}>Close</Button>
        </Actions>
      )}
    </>
  );
}
