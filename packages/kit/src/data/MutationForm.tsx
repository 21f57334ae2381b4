import {
  createContext,
  useContext,
  useEffect,
  useRef,
  type ButtonHTMLAttributes,
  type ComponentPropsWithoutRef,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  type SubmitEvent,
} from "react";

import { useMutation, type MutationOptions } from "./useMutation.js";

/** Props of {@link MutationForm}: those of a form. */
export interface MutationFormProps<Value>
  extends MutationOptions<Value>, Omit<ComponentPropsWithoutRef<"form">, "action" | "method" | "encType" | "target"> {
  /** Path below `/api/`. Without JavaScript, the upstream responds with a redirect to a page of the site. */
  readonly action: string;
  /** Required for file inputs: without JavaScript, the browser would post only the names of the files. */
  readonly encType?: "multipart/form-data";
  /** Fields, and a {@link SubmitButton}. */
  readonly children: ReactNode;
  /** Replaces the form after a success. It gets the focus, and screen readers announce it. */
  readonly success?: (value: NoInfer<Value>) => ReactNode;
  /** Renders the message of an error, which screen readers announce. Default: a paragraph. */
  readonly error?: (message: string) => ReactNode;
  /** What screen readers announce while a request is pending. Default: `Sending`. */
  readonly pending?: string;
}

/** Props of {@link SubmitButton}: those of a button. */
export type SubmitButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "type">;

const PendingContext = createContext(false);

function preventClick(event: MouseEvent): void {
  event.preventDefault();
}

/** The button that submits the {@link MutationForm} around it. While a request is pending, it keeps the focus and does nothing. */
export function SubmitButton(props: SubmitButtonProps): ReactElement {
  const isPending = useContext(PendingContext);
  const busy = isPending && { "aria-busy": true, "aria-disabled": true, onClick: preventClick };
  return <button {...props} type="submit" {...busy} />;
}

/**
 * A form that posts to a path below `/api/`. Without JavaScript, the browser posts it and follows the redirect of the response.
 * With JavaScript, it posts in place and expects JSON: it shows the text of `{"error": "…"}`, and `success` or a redirect ends
 * it. Fields are form-encoded; with `encType`, there may be files.
 *
 * @example
 * ```tsx
 * import { MutationForm, SubmitButton } from "@colonnade/kit/data";
 *
 * export const Rsvp = () => (
 *   <MutationForm action="/api/events/7/rsvps" success={() => <p>See you there.</p>}>
 *     <label>
 *       Email <input name="email" type="email" required />
 *     </label>
 *     <SubmitButton>RSVP</SubmitButton>
 *   </MutationForm>
 * );
 * ```
 */
export function MutationForm<Value = unknown>({
  action,
  schema,
  onSuccess,
  success,
  error = (message) => <p>{message}</p>,
  pending = "Sending",
  onSubmit,
  children,
  ...form
}: MutationFormProps<Value>): ReactElement {
  const options = { ...(schema && { schema }), ...(onSuccess && { onSuccess }) };
  const { state, send } = useMutation<Value>(action, options);
  if (state.status === "success" && success) return <Success>{success(state.value)}</Success>;
  const isPending = state.status === "pending";
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    onSubmit?.(event);
    if (event.defaultPrevented) return;
    event.preventDefault();
    const data = new FormData(event.currentTarget, event.nativeEvent.submitter);
    if (form.encType === undefined && [...data.values()].some((value) => typeof value !== "string"))
      reportError(new TypeError('a MutationForm with a file input needs encType="multipart/form-data"'));
    send(data);
  };
  return (
    <form {...form} action={action} method="post" onSubmit={submit}>
      <PendingContext value={isPending}>{children}</PendingContext>
      {/* Both are always present: screen readers announce text that appears in them. */}
      <div role="status" data-visually-hidden="">
        {isPending && pending}
      </div>
      <div role="alert">{state.status === "error" && error(state.error)}</div>
    </form>
  );
}

/** Takes the focus of the form that it replaces. */
function Success({ children }: { readonly children: ReactNode }): ReactElement {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    element.current?.focus();
  }, []);
  return (
    <div ref={element} role="status" tabIndex={-1}>
      {children}
    </div>
  );
}
