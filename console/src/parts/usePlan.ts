import { useEffect, useState } from "react";

import { call, textOf } from "../api.js";
import type { Read } from "../data.js";

// Each change of a text field would be a call.
const TYPING_MS = 300;

/**
 * What a change would do, planned by the gateway, and planned again when the request changes.
 *
 * @param path the call of the admin API that plans
 * @param body its request
 */
export function usePlan<Plan>(path: string, body: object): Read<Plan> {
  const text = JSON.stringify(body);
  const [read, setRead] = useState<Read<Plan> & { readonly text: string }>();
  const [first] = useState(text);
  useEffect(() => {
    const controller = new AbortController();
    const plan = async (): Promise<void> => {
      try {
        const request = { body: JSON.parse(text) as object, signal: controller.signal };
        setRead({ text, value: await call<Plan>("POST", path, request), error: undefined });
      } catch (failure) {
        if (!controller.signal.aborted) setRead({ text, value: undefined, error: textOf(failure) });
      }
    };
    const timer = setTimeout(() => void plan(), text === first ? 0 : TYPING_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [path, text, first]);
  return read?.text === text ? read : { value: undefined, error: undefined };
}
