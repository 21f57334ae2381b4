import type { StandardSchemaV1 } from "@standard-schema/spec";
import { useEffect, useRef, useState } from "react";

import { sendMutation, type MutationBody } from "./sendMutation.js";

/** Options of {@link useMutation}. */
export interface MutationOptions<Value> {
  /** Schema of any library that implements Standard Schema. A value that does not fit is an error with status 502. */
  readonly schema?: StandardSchemaV1<unknown, Value>;
  /** Called with the JSON of the response, or null if it is empty. Without a schema, it is unknown. */
  readonly onSuccess?: (value: NoInfer<Value>) => void;
}

/** The state of a {@link useMutation}. */
export type MutationState<Value> =
  | { readonly status: "idle" }
  | { readonly status: "pending" }
  | { readonly status: "success"; readonly value: Value }
  | {
      readonly status: "error";
      /** The status of the response. 502 also stands for an invalid response, and 0 for no connection. */
      readonly httpStatus: number;
      /** Text for the visitor: `error` of the JSON response, or a general one. */
      readonly error: string;
    };

/** What {@link useMutation} returns. */
export interface Mutation<Value> {
  /** What the component shows. */
  readonly state: MutationState<Value>;
  /** Posts a body, form-encoded, or as `multipart/form-data` if it has files. Does nothing while another one is pending, so that nothing is sent twice. */
  readonly send: (body: MutationBody) => void;
}

/**
 * Posts to a path below `/api/`, with the site's cookies. A request is sent once: neither repeated nor, if the component
 * unmounts, aborted. If the response is a redirect, the browser goes to its page. For a form, use {@link MutationForm}, which
 * also works without JavaScript.
 *
 * @example
 * ```tsx
 * import { useMutation } from "@colonnade/kit/data";
 *
 * export function Like() {
 *   const { state, send } = useMutation("/api/events/7/likes");
 *   return <button aria-busy={state.status === "pending"} onClick={() => send({ stars: "1" })}>Like</button>;
 * }
 * ```
 */
export function useMutation<Value = unknown>(path: string, options: MutationOptions<Value> = {}): Mutation<Value> {
  const [state, setState] = useState<MutationState<Value>>({ status: "idle" });
  const isPending = useRef(false);
  // The options of the last render. Null after the component has unmounted.
  const current = useRef<MutationOptions<Value> | null>(options);
  useEffect(() => {
    current.current = options;
    return () => {
      current.current = null;
    };
  });
  const reset = (): void => {
    isPending.current = false;
    setState({ status: "idle" });
  };
  const send = async (body: MutationBody): Promise<void> => {
    if (isPending.current) return;
    isPending.current = true;
    setState({ status: "pending" });
    const outcome = await sendMutation(path, body, options.schema);
    // The visitor has left.
    if (!current.current) return;
    if ("page" in outcome) {
      // The state stays pending until the browser has loaded the page. On Back, it may show this one as it was left.
      addEventListener("pageshow", reset, { once: true });
      location.assign(outcome.page);
      return;
    }
    isPending.current = false;
    if (outcome.ok) {
      setState({ status: "success", value: outcome.value });
      current.current.onSuccess?.(outcome.value);
    } else setState({ status: "error", httpStatus: outcome.httpStatus, error: outcome.error });
  };
  return {
    state,
    send: (body) => {
      void send(body);
    },
  };
}
