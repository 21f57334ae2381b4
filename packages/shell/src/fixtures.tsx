// A shell for tests.
import type { Provided } from "./loading/provided.js";
import { createShell } from "./parts.js";

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

/** What a test provides that shows no extensions. */
export const UNUSED = {} as Pick<Provided, "routerHistory">;
