import { isPagePath } from "@colonnade/kit";
import "@colonnade/kit/design.css";
import { SUSPENDED_DIGEST } from "@colonnade/kit/shell";
import type { ErrorInfo } from "react";
import ReactDom from "react-dom";
import { createRoot, hydrateRoot, type RootOptions } from "react-dom/client";

import { App } from "./App";
import { boot } from "./bootstrap";
import "./favicon.svg";
import "./frame/frame.css";
import "./frame/print.css";
import { provideDeployment } from "./loading/lazyParts";
import { createPinnedDeployment } from "./loading/pinnedDeployment";
import { findServerHtml } from "./loading/serverHtml";
import { provideReactDom } from "./loading/shareScope";
import { createSlotLoader } from "./loading/slotLoader";
import { ViewLoader } from "./loading/viewLoader";
import { tolerateMovedNodes } from "./movedNodes";
import { createRouterHistory } from "./navigation/history";
import { createScrollRestoration } from "./navigation/scrollRestoration";
import { ShellRouter } from "./navigation/ShellRouter";
import "./navigation/viewTransitions.css";
import { createViewTransitions } from "./navigation/viewTransitions";

function report(error: unknown, { componentStack }: { readonly componentStack?: string | null | undefined }): void {
  // `colonnade dev` uses the component stack to locate the error.
  if (error instanceof Error) Object.assign(error, { componentStack });
  reportError(error);
}

function onRecoverableError(error: unknown, info: ErrorInfo): void {
  // The section left this part of its page to the browser.
  if ((error as { digest?: string }).digest !== SUSPENDED_DIGEST) report(error, info);
}

const options: RootOptions = {
  onRecoverableError,
  ...(process.env.NODE_ENV === "development" && { onCaughtError: report }),
};

tolerateMovedNodes();
provideReactDom(ReactDom);

const root = document.getElementById("root");
if (!root) throw new Error('the document has no element with id "root"');

// The response to a form post has the URL of the post. With the page's own URL, a reload shows the page.
if (boot.form) history.replaceState(history.state, "", boot.form.page);
const deployment = createPinnedDeployment(boot);
provideDeployment(deployment);
const views = new ViewLoader(boot, location.pathname, deployment, (path) => {
  if (isPagePath(path)) routerHistory.navigator.replace(path);
  else location.replace(path);
});
const transitions = createViewTransitions(location.pathname);
const routerHistory = createRouterHistory(views, transitions);
const { join, search } = boot.slots;
const app = (
  <ShellRouter history={routerHistory}>
    <App
      boot={boot}
      deployment={deployment}
      views={views}
      scroll={createScrollRestoration()}
      transitions={transitions}
      serverHtml={boot.view ? findServerHtml(root) : null}
      join={join ? createSlotLoader("join", join, deployment) : null}
      search={search ? createSlotLoader("search", search, deployment) : null}
    />
  </ShellRouter>
);
if (boot.view) hydrateRoot(root, app, options);
else createRoot(root, options).render(app);
