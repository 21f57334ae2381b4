// Part of a section's development build: registers the section in the page of `colonnade dev`.
import type * as Runtime from "react-refresh/runtime";

import type { HotSection } from "./sections.js";

/** The part of webpack's hot module API that updates a section. */
interface HotApi {
  check(autoApply: true): Promise<readonly unknown[] | null>;
  apply(): Promise<unknown>;
  status(): string;
}

declare const __resourceQuery: string;
declare const __webpack_hash__: string;

// webpack replaces exactly this expression.
const hot = (import.meta as ImportMeta & { readonly webpackHot: HotApi }).webpackHot;
const { colonnadeRefresh, colonnadeSections } = globalThis as unknown as {
  readonly colonnadeRefresh: typeof Runtime;
  readonly colonnadeSections: Map<string, HotSection> | undefined;
};

colonnadeSections?.set(__resourceQuery.slice(1), {
  build: () => __webpack_hash__,
  async update() {
    if (hot.status() !== "idle") throw new Error("an earlier update of the section failed");
    if ((await hot.check(true)) === null) throw new Error("the server no longer has the next build");
    // A module that no longer exports only components invalidates itself.
    if (hot.status() === "ready") await hot.apply();
    colonnadeRefresh.performReactRefresh();
  },
});
