import { expect, test } from "vitest";

import { GatewayError } from "../build/usageError.js";
import { watch, type WatchOptions } from "./watch.js";

const UNREACHABLE = new GatewayError("cannot reach the gateway", "unavailable");

/** Watches these results and errors, one after another. Returns what was printed. */
async function printedBy(
  outcomes: readonly (number | Error)[],
  options: Partial<WatchOptions> = {},
): Promise<string[]> {
  const printed: string[] = [];
  const controller = new AbortController();
  const remaining = [...outcomes];
  const read = (): Promise<{ text: string; data: number }> => {
    const outcome = remaining.shift();
    if (remaining.length === 0) controller.abort();
    return outcome instanceof Error
      ? Promise.reject(outcome)
      : Promise.resolve({ text: `number ${String(outcome)}`, data: outcome ?? 0 });
  };
  await watch(
    {
      read,
      print: ({ text }) => printed.push(text),
      printError: (message) => printed.push(message),
      repeatAfterError: true,
      intervalMs: 1,
      ...options,
    },
    controller.signal,
  );
  return printed;
}

test("watch prints a result only when it changed", async () => {
  expect(await printedBy([1, 1, 2, 2, 1])).toEqual(["number 1", "number 2", "number 1"]);
});

test("watch prints an error once and retries", async () => {
  expect(await printedBy([UNREACHABLE, UNREACHABLE, 1, UNREACHABLE, 1])).toEqual([
    "cannot reach the gateway",
    "number 1",
    "cannot reach the gateway",
    "number 1",
  ]);
});

test("watch of JSON does not repeat a result after an error", async () => {
  expect(await printedBy([1, UNREACHABLE, 1, 2], { repeatAfterError: false })).toEqual([
    "number 1",
    "cannot reach the gateway",
    "number 2",
  ]);
});

test("watch ends with an error that a retry cannot fix", async () => {
  const unauthorized = new GatewayError("unknown token", "unauthorized");
  await expect(printedBy([1, unauthorized, 2])).rejects.toBe(unauthorized);
});
