// A shell for tests.
import type { Slot as SlotContent } from "@colonnade/kit";
import { vi } from "vitest";

import type { Provided } from "./loading/provided.js";
import type { SlotLoader } from "./loading/slotLoader.js";
import { trackPromise } from "./loading/trackPromise.js";
import { createShell } from "./parts.js";
import type { Slots } from "./Slot.js";

export const PARTS = createShell({
  Frame: ({ layout, currentPath, children }) => (
    <>
      <header data-layout={JSON.stringify(layout)} data-path={currentPath} />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer />
    </>
  ),
  Loading: () => <p>Loading…</p>,
  NotFound: ({ heading }) => <h1>{heading}</h1>,
  Failed: ({ retry }) => <button onClick={() => void retry()}>Try again</button>,
  Offline: ({ retry }) => <button onClick={() => void retry()}>Try again</button>,
});

/** The loader of a slot that the section `<name>-section` fills. */
export function slotLoader(load: () => Promise<SlotContent | null>): (name: string) => SlotLoader {
  return (name) => {
    let content: SlotContent | null | undefined;
    let loading: Promise<SlotContent | null> | undefined;
    return {
      section: { name: `${name}-section`, version: "1.0.0", container: "", entry: "", integrity: "", assets: [] },
      assets: [],
      load: () => {
        loading ??= trackPromise(load().then((loaded) => (content = loaded)));
        return loading;
      },
      loaded: () => content ?? undefined,
      retry: () => {
        loading = undefined;
      },
    };
  };
}

/** Slots of a document, by name. */
export function fakeSlots(loaders: Readonly<Record<string, (name: string) => SlotLoader>>): Slots {
  return {
    loaders: Object.fromEntries(Object.entries(loaders).map(([name, loader]) => [name, loader(name)])),
    deployment: { status: () => Promise.resolve("retained"), reload: vi.fn(), report: vi.fn() },
  };
}

/** What a test provides that neither navigates nor shows extensions. */
export const UNUSED = {} as Pick<Provided, "views" | "routerHistory">;
