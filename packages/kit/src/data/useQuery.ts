import type { StandardSchemaV1 } from "@standard-schema/spec";
import { useEffect, useRef, useState } from "react";

import { fetchResult } from "../fetchResult.js";
import { validateResult, type QueryResult } from "../queries.js";

/** Options of `useQuery`. */
export interface QueryOptions<Value> {
  /** Schema of any library that implements Standard Schema. A value that does not fit is an error with status 502. */
  readonly schema: StandardSchemaV1<unknown, Value>;
}

/** The state of a `useQuery`. */
export type QueryState<Value> =
  | { readonly status: "loading" }
  | { readonly status: "success"; readonly value: Value }
  | {
      readonly status: "error";
      /** The status of the response. 502 also stands for an invalid response, 504 for none in time, 0 for no connection. */
      readonly httpStatus: number;
      /** Sends the request again. */
      readonly retry: () => void;
    };

interface Settled<Value> {
  readonly path: string;
  readonly attempt: number;
  readonly result: QueryResult<Value>;
}

/**
 * Fetches JSON of the visitor from a path below `/api/`, with the site's cookies. The request runs in the browser after
 * hydration, and is aborted if the component unmounts or the path changes. No cache keeps the response. On the server and while it
 * hydrates, the state is `loading`. Null sends no request.
 *
 * @example
 * ```tsx
 * import { useQuery } from "@colonnade/kit/data";
 * import * as v from "valibot";
 *
 * const schema = v.object({ left: v.number() });
 *
 * export function PlacesLeft() {
 *   const places = useQuery("/api/events/7/places", { schema });
 *   return <p>{places.status === "success" ? `${String(places.value.left)} left` : "…"}</p>;
 * }
 * ```
 */
export function useQuery(path: string | null): QueryState<unknown>;
/** Does the same, and checks the JSON by a schema, which gives it its type. */
export function useQuery<Value>(path: string | null, options: QueryOptions<Value>): QueryState<Value>;
export function useQuery<Value>(path: string | null, options?: QueryOptions<Value>): QueryState<Value> {
  const [attempt, setAttempt] = useState(0);
  const [settled, setSettled] = useState<Settled<Value> | null>(null);
  // A schema that is created during the render must not repeat the request.
  const schema = useRef(options?.schema);
  useEffect(() => {
    schema.current = options?.schema;
  });
  useEffect(() => {
    if (path === null) return undefined;
    const request = new AbortController();
    let isActive = true;
    void fetchResult(path, "same-origin", request)
      .then((result) => validateResult(result, schema.current))
      .then((result) => {
        if (isActive) setSettled({ path, attempt, result });
      });
    return () => {
      isActive = false;
      request.abort();
    };
  }, [path, attempt]);
  if (settled?.path !== path || settled.attempt !== attempt) return { status: "loading" };
  const { result } = settled;
  if (result.ok) return { status: "success", value: result.value };
  return {
    status: "error",
    httpStatus: result.status,
    retry: () => {
      setAttempt(attempt + 1);
    },
  };
}
