import { useHydrated } from "@colonnade/kit";
import { use, type ComponentType, type ReactElement } from "react";

import type { PinnedDeployment } from "../loading/pinnedDeployment";
import type { SlotLoader } from "../loading/slotLoader";
import { useStyles } from "../loading/styles";
import { SectionErrorBoundary } from "../SectionErrorBoundary";
import { SectionRoot } from "../SectionRoot";

interface SearchSlotProps {
  /** Null if no section fills the slot. */
  readonly loader: SlotLoader | null;
  readonly deployment: PinnedDeployment;
}

function SlotContent({ loader }: { readonly loader: SlotLoader }): ReactElement | null {
  const slot = use(loader.load());
  useStyles(loader.assets, "search");
  // Gone with the pinned deployment.
  if (!slot) return null;
  const Search = slot.Component as ComponentType;
  return (
    <SectionRoot name={loader.section.name}>
      <Search />
    </SectionRoot>
  );
}

/**
 * The `search` slot: the search of the section that fills it. Server-rendered HTML has only its place, because the server
 * renders a page with the code of one section. Without the search, the page still has its links.
 */
export function SearchSlot({ loader, deployment }: SearchSlotProps): ReactElement | null {
  const hydrated = useHydrated();
  if (hydrated && !loader) return null;
  return (
    <div className="search-slot">
      {hydrated && loader && (
        <SectionErrorBoundary
          section={loader.section}
          deployment={deployment}
          slot={loader}
          loading={null}
          // Not empty, so that its place no longer shows a skeleton.
          fallback={() => <span />}
        >
          <SlotContent loader={loader} />
        </SectionErrorBoundary>
      )}
    </div>
  );
}
