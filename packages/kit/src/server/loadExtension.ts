import type { ExtensionRequest } from "../boot.js";
import type { AnyExtension } from "../extension.js";
import type { Section } from "../section.js";
import type { Site } from "../site.js";
import { checkJson, loadData, type NeededQueries } from "./loadData.js";

/** An extension with everything its component needs, or what precedes it. */
export type LoadedExtension =
  | NeededQueries
  | {
      readonly kind: "extension";
      readonly Component: AnyExtension["Component"];
      /** Null if there is nothing to show. */
      readonly props: { readonly props: never; readonly data: never } | null;
      /** The names of the results that do not fit their schema. */
      readonly invalid: readonly string[];
    };

/**
 * Runs `queries` and `data` of an extension. Without the results of its queries, runs only `queries`.
 *
 * @throws Error if the section has no such extension, if its queries are invalid, if JSON would change the data, and what the
 *   extension throws.
 */
export async function loadExtension(
  section: Section,
  { extension: { section: name, point, props: given }, results }: ExtensionRequest,
  site: Site,
): Promise<LoadedExtension> {
  const load = section.extensions?.[point];
  if (!load) throw new Error(`the section "${name}" has no extension of "${point}"`);
  const { extension } = await load();
  const subject = `the extension of "${point}" by the section "${name}"`;
  const props = given as never;
  const context = { props, site };
  const loaded = await loadData({
    subject,
    queries: extension.queries?.(context) ?? {},
    results,
    load: (found) => extension.data({ ...context, results: found }),
  });
  if (loaded.kind === "queries") return loaded;
  const { data, invalid } = loaded;
  checkJson(data, "data", subject);
  return {
    kind: "extension",
    Component: extension.Component,
    props: data === null ? null : { props, data: data as never },
    invalid,
  };
}
