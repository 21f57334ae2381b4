/**
 * Notes at a promise what became of it, where React looks and would note it itself after the first `use`: that of one
 * that is fulfilled then waits for nothing.
 */
export function known<Value>(promise: Promise<Value>): Promise<Value> {
  promise.then(
    (value) => Object.assign(promise, { status: "fulfilled", value }),
    () => undefined,
  );
  return promise;
}
