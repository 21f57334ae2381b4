// What starts a shell in the browser. The build imports it after the shell's entry module, whose stylesheets come first.
import { isPagePath } from "@colonnade/kit";
import ReactDom from "react-dom";
import { createRoot, hydrateRoot } from "react-dom/client";

import "../css/shell.css";
import { App } from "./App.js";
import { isDocumentOfUrl } from "./boot.js";
import { boot } from "./bootstrap.js";
import { BrowserPlace } from "./extensions/BrowserPlace.js";
import { federation, startFederationWhenIdle } from "./loading/federation.js";
import { createPinnedDeployment } from "./loading/pinnedDeployment.js";
import { provide } from "./loading/provided.js";
import { findServerHtml } from "./loading/serverHtml.js";
import { provideReactDom } from "./loading/shareScope.js";
import { ViewLoader } from "./loading/viewLoader.js";
import { viewPath } from "./loading/reload.js";
import { tolerateMovedNodes } from "./movedNodes.js";
import { createRouterHistory } from "./navigation/history.js";
import { createScrollRestoration } from "./navigation/scrollRestoration.js";
import { ShellRouter } from "./navigation/ShellRouter.js";
import { createViewTransitions } from "./navigation/viewTransitions.js";
import type { ShellParts } from "./parts.js";
import { rootOptions } from "./rootOptions.js";

/**
 * Starts a shell in this document.
 *
 * @throws Error if the document has no element with the ID `root`.
 */
export function start(parts: ShellParts): void {
  tolerateMovedNodes();
  provideReactDom(ReactDom);
  const root = document.getElementById("root");
  if (!root) throw new Error('the document has no element with id "root"');
  if (!isDocumentOfUrl(boot)) {
    location.reload();
    return;
  }
  const deployment = createPinnedDeployment(boot);
  const firstPath = viewPath(location);
  const views = new ViewLoader(boot, firstPath, deployment, (path) => {
    if (isPagePath(path)) routerHistory.navigator.replace(path);
    else location.replace(path);
  });
  const transitions = createViewTransitions(firstPath);
  const routerHistory = createRouterHistory(views, transitions);
  provide({ boot, deployment, routerHistory, parts });
  const app = (
    <ShellRouter history={routerHistory}>
      <App
        parts={parts}
        boot={boot}
        deployment={deployment}
        views={views}
        scroll={createScrollRestoration()}
        transitions={transitions}
        serverHtml={boot.view ? findServerHtml(root) : null}
        remotes={federation}
        ExtensionPlace={BrowserPlace}
      />
    </ShellRouter>
  );
  if (boot.view) hydrateRoot(root, app, rootOptions);
  else createRoot(root, rootOptions).render(app);
  startFederationWhenIdle();
}
