import { isHydrated } from "./isHydrated.js";

// Only a handler can send these. The browser would load the page again, with the fields in its URL. Formik adds the "#".
const WITHOUT_ACTION = 'form:not([action], [method=dialog]), form[action="#"]';

const forms = new Set<EventTarget | null>();
let held: SubmitEvent | undefined;

/** Holds the last submit of a form in the document that has no action and is not hydrated. */
export function holdSubmits(): void {
  for (const form of document.querySelectorAll(WITHOUT_ACTION)) forms.add(form);
  // After all other listeners: one of a hydrated part around the form may have handled the event.
  addEventListener("submit", (event) => {
    const { defaultPrevented, submitter, target } = event;
    if (defaultPrevented || !forms.has(target) || isHydrated(target as Element)) return;
    if (submitter?.matches("[formaction], [formmethod=dialog]")) return;
    event.preventDefault();
    held = event;
  });
}

/**
 * Repeats the submit that was held, if its form is hydrated now. A form that is gone is not submitted.
 *
 * @returns Whether the form is still waiting.
 */
export function repeatSubmit(): boolean {
  if (!held) return false;
  const { submitter, target } = held;
  const form = target as HTMLFormElement;
  if (form.isConnected && forms.has(form) && !isHydrated(form)) return true;
  held = undefined;
  // After React has rendered the values that were entered again.
  setTimeout(() => {
    form.requestSubmit(submitter);
  });
  return false;
}

/** Lets the browser send the forms that are not hydrated: they are no part of React's page. */
export function stopHolding(): void {
  forms.clear();
  repeatSubmit();
}
