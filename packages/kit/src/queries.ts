import type { StandardSchemaV1 } from "@standard-schema/spec";

/** The result of a query: the value of the JSON response, or the status of the failure. */
export type QueryResult<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false;
      /**
       * HTTP status. 502 also stands for a response that is not JSON or does not fit the schema, 504 for one that takes too
       * long, and 0 for a browser that cannot reach the site.
       */
      readonly status: number;
    };

/** A query whose value a schema validates. `Response` is what an upstream responds with. */
export interface Query<Value, Response = unknown> {
  /** Path below `/api/`, percent-encoded. May have a query string. */
  readonly path: string;
  /** Schema of any library that implements Standard Schema. */
  readonly schema: StandardSchemaV1<Response, Value>;
}

/** The queries of a page, by name: paths below `/api/`, or paths with a schema from {@link query}. */
export type Queries = Readonly<Record<string, string | Query<unknown>>>;

/** The queries of a page without `queries`. */
export type NoQueries = Readonly<Record<string, never>>;

/** The results of queries, by name. A schema gives a result its type; without one, the value is unknown. */
export type QueryResults<Q extends Queries = Queries> = {
  readonly [Name in keyof Q]: QueryResult<Q[Name] extends Query<infer Value> ? Value : unknown>;
};

/** Results of all queries, by name, to check a page or an extension with: what upstreams respond with, before a schema changes it. */
export type ExampleResults<Q extends Queries = Queries> = {
  readonly [Name in keyof Q]: QueryResult<Q[Name] extends Query<unknown, infer Response> ? Response : unknown>;
};

/** Validates a result with a schema, if there is one. */
export async function validateResult<Value>(
  result: QueryResult,
  schema: StandardSchemaV1<unknown, Value> | undefined,
): Promise<QueryResult<Value>> {
  if (!result.ok || !schema) return result as QueryResult<Value>;
  const validated = await schema["~standard"].validate(result.value);
  return validated.issues ? { ok: false, status: 502 } : { ok: true, value: validated.value };
}

/** Gets the results of all queries in parallel, and validates them. */
export async function loadResults(
  queries: Queries,
  load: (path: string, name: string) => QueryResult | Promise<QueryResult>,
): Promise<QueryResults> {
  const entries = Object.entries(queries).map(async ([name, query]) => {
    const { path, schema } = typeof query === "string" ? { path: query, schema: undefined } : query;
    return [name, await validateResult(await load(path, name), schema)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
