import type { Asset, ResolvedSlot } from "@colonnade/kit/shell";

/** The assets of a page or slot, in the order of the cascade: those of its section, then its own. */
export function assetsOf({ section, assets }: ResolvedSlot): Asset[] {
  return [...section.assets, ...assets];
}
