// A separate module: sections use it, and the shell does not.
import type { StandardSchemaV1 } from "@standard-schema/spec";

import type { Query } from "./queries.js";

/**
 * Creates a query whose value a schema validates. A value that does not fit is a failure with status 502.
 *
 * @example
 * ```tsx
 * import { query } from "@colonnade/kit";
 * import * as v from "valibot";
 *
 * export const queries = () => ({ event: query("/api/events/7", v.object({ title: v.string() })) });
 * ```
 */
export function query<Response, Value>(
  path: string,
  schema: StandardSchemaV1<Response, Value>,
): Query<Value, Response> {
  return { path, schema };
}
