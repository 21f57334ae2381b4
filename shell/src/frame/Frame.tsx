import type { Layout } from "@colonnade/kit";
import type { ReactElement, ReactNode } from "react";

import { Footer } from "./Footer";
import { Header } from "./Header";

/** Props of {@link Frame}. */
export interface FrameProps {
  readonly layout: Layout;
  /** The path of the page that is shown, if it exists: navigation marks it. */
  readonly here?: string | undefined;
  readonly children: ReactNode;
}

/** What stands around every page: skip link, header, main region, footer. */
export function Frame({ layout, here, children }: FrameProps): ReactElement {
  return (
    <div className="frame">
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <Header variant={layout.header} here={here} />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Footer note={layout.footerNote} here={here} />
    </div>
  );
}
