/**
 * Records a promise's value on the promise as soon as it fulfills, in the fields that React's `use` reads. React sets
 * them itself only after the first `use`; with them set, that first `use` does not suspend.
 */
export function trackPromise<Value>(promise: Promise<Value>): Promise<Value> {
  promise.then(
    (value) => Object.assign(promise, { status: "fulfilled", value }),
    () => undefined,
  );
  return promise;
}
