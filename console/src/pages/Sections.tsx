import type { ReactElement } from "react";

import { useConsole } from "../data.js";
import { SectionTable } from "../parts/SectionTable.js";

/** Everything that has a release, live or not. */
export function Sections(): ReactElement {
  const { sections } = useConsole();
  if (sections.length === 0) {
    return (
      <p className="empty">
        Nothing is published yet. Publish with <code>colonnade publish</code>.
      </p>
    );
  }
  return (
    <section aria-label="Published sections" className="panel">
      <SectionTable caption="Sections" all />
    </section>
  );
}
