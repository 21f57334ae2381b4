import { inspect } from "node:util";

/** Describes a value that code in the sandbox threw. */
export function describeThrown(thrown: unknown): { name: string; message: string; stack: string } {
  // The error is from another context, so `instanceof Error` does not apply.
  const { name, message, stack } = (thrown ?? {}) as Partial<Error>;
  if (typeof message !== "string")
    return { name: "a value that is not an Error", message: inspect(thrown, { customInspect: false }), stack: "" };
  return { name: String(name), message, stack: String(stack) };
}

/** Waits for a promise. A promise of the sandbox that is pending after all microtasks never settles. */
export async function settled<T>(promise: T | Promise<T>): Promise<T> {
  const pending = new Promise<never>((_, reject) => {
    setImmediate(() => {
      reject(new Error("its promise never settles: it waits for something that does not happen on the server"));
    });
  });
  return Promise.race([promise, pending]);
}
