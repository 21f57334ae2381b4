import { ShellContext, type Boot, type ShellServices } from "@colonnade/kit/shell";
import { Suspense, useMemo, useState, type ReactElement } from "react";

import { CurrentPage, LoadingFrame } from "./CurrentPage.js";
import { Dialogs, useDialogs } from "./dialogs/Dialogs.js";
import type { Federation } from "./loading/federation.js";
import type { PinnedDeployment } from "./loading/pinnedDeployment.js";
import type { ServerHtml } from "./loading/serverHtml.js";
import type { Views } from "./loading/view.js";
import { Announcer } from "./navigation/Announcer.js";
import { useLinks } from "./navigation/links.js";
import type { ScrollRestoration } from "./navigation/scrollRestoration.js";
import type { ViewTransitions } from "./navigation/viewTransitions.js";
import type { ShellParts } from "./parts.js";

/** Props of {@link App}. They never change. */
export interface AppProps {
  readonly parts: ShellParts;
  readonly boot: Boot;
  readonly deployment: PinnedDeployment;
  readonly views: Views;
  readonly scroll: ScrollRestoration;
  readonly transitions: ViewTransitions;
  /** The page's server-rendered HTML, if the document includes it. */
  readonly serverHtml: ServerHtml | null;
  /** Absent on the server. */
  readonly remotes?: Federation;
  /** Renders the place of an extension point. */
  readonly ExtensionPlace: ShellServices["ExtensionPlace"];
}

/** The whole site. Must be rendered in a router. */
export function App({ parts, boot, remotes, ExtensionPlace, ...page }: AppProps): ReactElement {
  const [announcement, announce] = useState("");
  const dialogs = useDialogs();
  const { open: openDialog } = dialogs;
  const services = useMemo<ShellServices>(
    () => ({ site: boot.site, configs: boot.configs, openDialog, remotes, ExtensionPlace }),
    [boot, openDialog, remotes, ExtensionPlace],
  );
  useLinks(page.views);
  return (
    <ShellContext value={services}>
      <Suspense fallback={<LoadingFrame parts={parts} />}>
        <CurrentPage
          {...page}
          parts={parts}
          announce={announce}
          image={boot.socialImage}
          extensions={boot.extensions}
        />
      </Suspense>
      {parts.dialog && remotes && <Dialogs parts={parts.dialog} start={remotes.start} state={dialogs} />}
      <Announcer text={announcement} />
    </ShellContext>
  );
}
