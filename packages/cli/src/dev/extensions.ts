import type { ResolvedExtension, ResolvedExtensions } from "@colonnade/kit/shell";

/** The extensions of a section, by the references of their points. */
export type SectionExtensions = Readonly<Record<string, ResolvedExtension>>;

/**
 * Replaces the extensions of sections under development in a response of the site by those of their builds, which the browser
 * renders. `development` has them by section. One that the site does not show comes last: only a deploy knows the order of all
 * sections, and the maximum of the point. Undefined if there are none.
 */
export function replaceExtensions(
  released: ResolvedExtensions = {},
  development: ReadonlyMap<string, SectionExtensions>,
): ResolvedExtensions | undefined {
  const replaced: Record<string, readonly ResolvedExtension[]> = {};
  const points = [released, ...development.values()].flatMap((extensions) => Object.keys(extensions));
  for (const point of new Set(points)) {
    const own = new Map([...development].flatMap(([name, { [point]: found }]) => (found ? [[name, found]] : [])));
    const shown = (released[point] ?? []).flatMap((extension) => {
      const { name } = extension.section;
      const found = development.has(name) ? own.get(name) : extension;
      own.delete(name);
      return found ?? [];
    });
    const all = [...shown, ...own.values()];
    if (all.length > 0) replaced[point] = all;
  }
  return Object.keys(replaced).length > 0 ? replaced : undefined;
}

/** Extensions whose HTML the document does not have: the browser loads their data. JSON has no `undefined`. */
export function withoutData(extensions: ResolvedExtensions = {}): ResolvedExtensions {
  return Object.fromEntries(
    Object.entries(extensions).map(([point, all]) => [
      point,
      all.map((extension) => ({ ...extension, data: undefined, leftOut: false })),
    ]),
  );
}
