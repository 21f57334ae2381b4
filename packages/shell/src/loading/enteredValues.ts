import { repeatSubmit, stopHolding } from "./heldSubmit.js";
import { isHydrated } from "./isHydrated.js";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Enters a value into a field again, with the events of an input. */
type Enter = (field: Field) => void;

// A script cannot choose files.
const FIELDS = "input:not([type=file]), select, textarea";
const LAZY_CHECK_MS = 500;

/** The fields in an element, by a key that is the same in a new rendering: type, name, and number among those. */
function fieldsByKey(root: Element): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const field of root.querySelectorAll<Field>(FIELDS)) {
    let number = 0;
    let key;
    do key = `${field.type} ${field.name} ${String(number++)}`;
    while (fields.has(key));
    fields.set(key, field);
  }
  return fields;
}

function isSelectChanged({ multiple, options, selectedIndex }: HTMLSelectElement): boolean {
  const all = [...options];
  if (multiple || all.some((option) => option.defaultSelected))
    return all.some((option) => option.selected !== option.defaultSelected);
  return selectedIndex > 0;
}

function isToggle(field: Field): field is HTMLInputElement {
  return field.type === "checkbox" || field.type === "radio";
}

/** Whether a field contains something else than the document says. */
function isChanged(field: Field): boolean {
  if ("options" in field) return isSelectChanged(field);
  if (isToggle(field)) return field.checked !== field.defaultChecked;
  // Those contain a valid value even if the document says none.
  return field.type !== "range" && field.type !== "color" && field.value !== field.defaultValue;
}

function dispatch(field: Field): void {
  for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
}

/** Reads what a field contains. */
function read(field: Field): Enter {
  if ("options" in field) {
    const values = [...field.selectedOptions].map((option) => option.value);
    return (target) => {
      for (const option of (target as HTMLSelectElement).options) {
        const selected = values.includes(option.value);
        if (option.selected !== selected) option.selected = selected;
      }
      dispatch(target);
    };
  }
  if (isToggle(field)) {
    const { checked } = field;
    return (target) => {
      // A radio button is cleared by the choice of another one.
      if (!checked && target.type === "radio") return;
      (target as HTMLInputElement).checked = !checked;
      target.click();
    };
  }
  const { value } = field;
  return (target) => {
    // Not if it is the same: that would move the caret.
    if (target.value !== value) target.value = value;
    // React ignores an event if the field has the value that it last saw there, in hydration or from a script.
    (target as { _valueTracker?: { setValue(value: string): void } })._valueTracker?.setValue(`not ${value}`);
    dispatch(target);
  };
}

/** Whether React has not hydrated all Suspense boundaries: it marks the start of each by a comment. */
function hasDehydrated(root: Element): boolean {
  const comments = document.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  while (comments.nextNode()) {
    const { data, nextElementSibling } = comments.currentNode as Comment;
    if (data.startsWith("$") && nextElementSibling && !isHydrated(nextElementSibling)) return true;
  }
  return false;
}

/**
 * Records what a visitor enters into the server-rendered fields of an element. React keeps it in the fields that it hydrates,
 * except for a text area with a text, but a component with a controlled field never learns of it, and its next render would
 * reset the field (https://github.com/facebook/react/issues/12955).
 *
 * @returns Call it when the page is hydrated, or rendered anew because hydration failed: it enters the values again, and
 * repeats the submit that was held.
 */
export function recordEnteredValues(root: Element): () => void {
  const { pathname } = location;
  const waiting = fieldsByKey(root);
  const entered = new Map<EventTarget | null, Enter>();
  const listening = new AbortController();
  for (const field of waiting.values()) if (isChanged(field)) entered.set(field, read(field));
  let isPageHydrated = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const options = { capture: true, signal: listening.signal };
  const checkLater = (): void => {
    if (isPageHydrated) timer ??= setTimeout(enterAgain, LAZY_CHECK_MS);
  };
  root.addEventListener(
    "input",
    ({ target }) => {
      if (![...waiting.values()].includes(target as Field)) return;
      entered.set(target, read(target as Field));
      checkLater();
    },
    options,
  );
  root.addEventListener("submit", checkLater, options);

  function enterAgain(): void {
    isPageHydrated = true;
    timer = undefined;
    // The visitor has left the page.
    if (location.pathname !== pathname) waiting.clear();
    const current = fieldsByKey(root);
    for (const [key, field] of waiting) {
      const target = field.isConnected ? field : current.get(key);
      if (!target || !isHydrated(target)) continue;
      waiting.delete(key);
      // Also by a field set: a click would do nothing.
      if (!target.matches(":disabled")) entered.get(field)?.(target);
      entered.delete(field);
    }
    const isWaiting = repeatSubmit() || entered.size > 0;
    // The others are gone, or no part of React's page.
    if (isWaiting && !hasDehydrated(root)) {
      waiting.clear();
      stopHolding();
    }
    if (waiting.size === 0) listening.abort();
    // A lazy component hydrates, or is rendered anew, later than its page.
    else if (isWaiting) timer = setTimeout(enterAgain, LAZY_CHECK_MS);
  }

  return enterAgain;
}
