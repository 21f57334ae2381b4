import type { Asset, ResolvedExtension } from "@colonnade/kit/shell";

/** The assets of a page or extension, in the order of the cascade: those of its section, then its own. */
export function assetsOf({ section, assets }: Pick<ResolvedExtension, "section" | "assets">): Asset[] {
  return [...section.assets, ...assets];
}
