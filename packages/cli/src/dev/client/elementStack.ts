/** React's development builds keep the stack of the JSX expression that created an element. */
interface Fiber {
  readonly _debugStack?: { readonly stack?: string } | null;
}

const FIBER_PREFIX = "__reactFiber$";

/** Returns the stack of the JSX expression that created an element. Empty if React did not create it. */
export function stackOfElement(element: Element): string {
  const key = Object.keys(element).find((name) => name.startsWith(FIBER_PREFIX));
  const fiber = key === undefined ? undefined : (element as unknown as Record<string, Fiber>)[key];
  return fiber?._debugStack?.stack ?? "";
}
