import { useHydrated } from "@colonnade/kit";
import { createContext, use, useContext, type ComponentType, type ReactElement } from "react";

import type { PinnedDeployment } from "./loading/pinnedDeployment.js";
import type { SlotLoader } from "./loading/slotLoader.js";
import { useStyles } from "./loading/styles.js";
import { SectionErrorBoundary } from "./SectionErrorBoundary.js";
import { SectionRoot } from "./SectionRoot.js";

/** The slots of this document that sections fill, by name. */
export interface Slots {
  readonly loaders: Readonly<Record<string, SlotLoader>>;
  readonly deployment: PinnedDeployment;
}

/** The slots of this document. Null on the server. */
export const SlotsContext = createContext<Slots | null>(null);

/** Props of {@link Slot}. */
export interface SlotProps {
  /** Name of the slot. */
  readonly name: string;
  /** Class of its element. */
  readonly className?: string;
}

function SlotContent({ name, loader }: { readonly name: string; readonly loader: SlotLoader }): ReactElement | null {
  const slot = use(loader.load());
  useStyles(loader.assets, name);
  // Gone with the pinned deployment.
  if (!slot) return null;
  const Content = slot.Component as ComponentType;
  return (
    <SectionRoot name={loader.section.name}>
      <Content />
    </SectionRoot>
  );
}

/**
 * A place in the shell that a section fills. Server-rendered HTML has only the place, because the server renders a page with
 * the code of one section.
 *
 * @example
 * ```tsx
 * import { Slot } from "@colonnade/shell";
 *
 * export const Header = () => (
 *   <header>
 *     <a href="/">Home</a>
 *     <Slot name="search" className="search" />
 *   </header>
 * );
 * ```
 */
export function Slot({ name, className }: SlotProps): ReactElement | null {
  const hydrated = useHydrated();
  const slots = useContext(SlotsContext);
  const loader = slots?.loaders[name];
  if (hydrated && !loader) return null;
  return (
    <div className={className}>
      {hydrated && slots && loader && (
        <SectionErrorBoundary
          section={loader.section}
          deployment={slots.deployment}
          slot={loader}
          loading={null}
          // Not empty, so that its place no longer shows a skeleton.
          fallback={() => <span />}
        >
          <SlotContent name={name} loader={loader} />
        </SectionErrorBoundary>
      )}
    </div>
  );
}
