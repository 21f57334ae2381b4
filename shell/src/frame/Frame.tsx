import headingFont from "@fontsource/fraunces/files/fraunces-latin-600-normal.woff2";
import type { Layout } from "@colonnade/kit";
import type { ReactElement, ReactNode } from "react";

import { Footer } from "./Footer";
import { Header } from "./Header";

/** Props of {@link Frame}. */
export interface FrameProps {
  readonly layout: Layout;
  /** Path of the current page, if it exists. Navigation links mark it. */
  readonly currentPath?: string | undefined;
  readonly children: ReactNode;
}

/** The frame of every page: skip link, header, main region, footer. */
export function Frame({ layout, currentPath, children }: FrameProps): ReactElement {
  return (
    <div className="frame">
      {/* Without it, the font of a first visit arrives after the first paint. */}
      <link rel="preload" as="font" type="font/woff2" href={headingFont} crossOrigin="anonymous" />
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <Header variant={layout.header} currentPath={currentPath} />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Footer note={layout.footerNote} currentPath={currentPath} />
    </div>
  );
}
