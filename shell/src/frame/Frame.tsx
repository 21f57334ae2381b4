import headingFont from "@fontsource/fraunces/files/fraunces-latin-600-normal.woff2";
import type { FrameProps } from "@colonnade/shell";
import type { ReactElement } from "react";

import { Footer } from "./Footer";
import { Header } from "./Header";

/** The frame of every page: skip link, header, main region, footer. */
export function Frame({ layout, currentPath, children }: FrameProps): ReactElement {
  return (
    <div className="frame">
      {/* Without it, the font of a first visit arrives after the first paint. */}
      <link rel="preload" as="font" type="font/woff2" href={headingFont} crossOrigin="anonymous" />
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <Header variant={layout.header ?? "menu"} currentPath={currentPath} />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Footer note={layout.footerNote ?? "18+ only"} currentPath={currentPath} />
    </div>
  );
}
