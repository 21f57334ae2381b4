import { act, renderHook } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { useData } from "./data.js";

const { call, stream } = vi.hoisted(() => ({
  call: vi.fn<(method: string, path: string) => Promise<unknown>>(),
  stream: { onEvent: (_position: string): void => undefined },
}));
vi.mock(import("./api.js"), async (original) => ({ ...(await original()), call: call as never }));
vi.mock("./stream.js", () => ({
  useStream: (onEvent: (position: string) => void) => {
    stream.onEvent = onEvent;
    return "live";
  },
}));

/** Holds the answers of the reads that start from now on until the returned function is called. */
function hold(): () => Promise<void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  call.mockImplementation((_, path) => released.then(() => (path === "/rollouts" ? [] : { path })));
  return () =>
    act(async () => {
      release();
      await released;
    });
}

test("reload ends with the read of an event that replaces it", async () => {
  const answerInitial = hold();
  const onSignedOut = vi.fn();
  const { result } = renderHook(() => useData(onSignedOut));
  await answerInitial();
  const before = result.current.data;
  expect(before).not.toBeNull();

  const answerReload = hold();
  let isCurrent = false;
  act(() => {
    void result.current.reload().then(() => {
      isCurrent = true;
    });
  });
  const answerEvent = hold();
  act(() => {
    stream.onEvent("2");
  });
  await answerReload();
  expect(isCurrent).toBe(false);
  expect(result.current.data).toBe(before);
  await answerEvent();
  expect(isCurrent).toBe(true);
  expect(result.current.data).not.toBe(before);
});
