import type { FunctionComponent } from "react";

import type { ExampleResults, NoQueries, Queries, QueryResults } from "./queries.js";
import type { Site } from "./site.js";

/** An extension point with unknown props. */
export interface AnyExtensionPoint {
  /** Its ID, such as `directory/city-aside`. */
  readonly id: string;
  /** Version of the props. */
  readonly version: number;
  /** The most extensions that are shown. */
  readonly max: number;
  /** Props to test extensions with. */
  readonly examples: readonly object[];
  /** The ID with the version, such as `directory/city-aside@1`. Sections fill the point by it. */
  readonly reference: string;
}

/** Argument of an extension's `queries`. */
export interface ExtensionContext<Props extends object> {
  /** What the page passes to the point. */
  readonly props: Props;
  /** What the operator's configuration says about the site, and today's date. */
  readonly site: Site;
}

/** Argument of an extension's `data`: `props`, `site` and, if the extension has `queries`, their `results` by name. */
export type ExtensionDataContext<Props extends object, Q extends Queries = NoQueries> = ExtensionContext<Props> &
  ([Q[keyof Q]] extends [never] ? unknown : { readonly results: QueryResults<Q> });

/** Props of an extension's component. */
export interface ExtensionProps<Props extends object, Data> {
  /** What the page passes to the point. */
  readonly props: Props;
  /** The value that the extension's `data` returned. */
  readonly data: Data;
}

/** Props of an extension with results of its queries, to check the extension with. */
export interface ExtensionExample<Props extends object, Q extends Queries = Queries> {
  /** What a page passes to the point. */
  readonly props: Props;
  /** A result of each query. Absent for an extension without queries. */
  readonly results?: ExampleResults<Q>;
}

/**
 * What a section contributes to an extension point.
 *
 * All members also run on the server, in a sandbox of their own, with the rules of pages. The HTML is shared by all pages that
 * pass the same props: there is no path, and no params.
 */
export interface Extension<Props extends object, Data, Q extends Queries = NoQueries> {
  /** Place among the extensions of the point: a lower one comes first, then the section's name decides. An integer. Default: 0. */
  readonly order?: number;
  /** Returns what to request from the site's upstreams before `data` runs, as that of a page. */
  queries?(context: ExtensionContext<Props>): Q;
  /**
   * Returns the extension's data, which must be serializable to JSON, or null: there is nothing to show for these props.
   */
  data(context: ExtensionDataContext<Props, Q>): Data | null | Promise<Data | null>;
  /**
   * Returns at most 20 props, each with results of the queries. The check, tests and the gateway's trial renders use them, without
   * sending queries. With the examples of the point, trial renders send queries.
   */
  examples?(): readonly ExtensionExample<NoInfer<Props>, NoInfer<Q>>[];
  /** Renders the extension. */
  readonly Component: FunctionComponent<ExtensionProps<Props, Data>>;
}

/** An extension with unknown types. Pass it only what its point and its own `data` return. */
export type AnyExtension = Pick<Extension<never, never>, "order"> & {
  queries?(context: ExtensionContext<object>): Queries;
  data(context: ExtensionContext<object> & { readonly results?: QueryResults }): unknown;
  examples?(): readonly ExtensionExample<object>[];
  readonly Component: FunctionComponent<ExtensionProps<never, never>>;
};

/** Exports of an extension's module: `export const extension = defineExtension({ … })`. */
export interface ExtensionModule {
  /** The extension. */
  readonly extension: AnyExtension;
}

/**
 * Declares an extension. The data type is inferred from `data`, and that of its `results` from `queries`. Returns its argument.
 *
 * @example
 * ```tsx
 * import { defineExtension } from "@colonnade/kit/extensions";
 *
 * export const extension = defineExtension({
 *   order: 20,
 *   data: ({ props }: { props: { city: string } }) => (props.city === "Austin" ? { title: "Kite festival" } : null),
 *   Component: ({ props, data }) => (
 *     <p>
 *       {data.title} in {props.city}
 *     </p>
 *   ),
 * });
 * ```
 */
export function defineExtension<Props extends object, Data, Q extends Queries = NoQueries>(
  extension: Extension<Props, Data, Q>,
): Extension<Props, Data, Q> {
  return extension;
}
