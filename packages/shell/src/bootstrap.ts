// Runs with the shell's first script, so that the page's code downloads while the browser fetches and compiles React DOM.

// First: the Trusted Types policy must exist before any module loads a script.
import "./trustedTypes.js";

import { readBoot } from "./boot.js";
// Before the boot payload is read.
import "./documentMembers.js";
import { holdSubmits } from "./loading/heldSubmit.js";
import { preloadPage } from "./loading/loadPage.js";
import { searchNames, viewPath } from "./loading/reload.js";

/** The boot payload of this document. */
export const boot = readBoot(document);

holdSubmits();

// The response to a form post has the URL of the post. With the page's own URL, a reload shows the page.
if (boot.form) history.replaceState(history.state, "", boot.form.page);
if (boot.page) {
  searchNames.set(location.pathname, boot.page.search ?? []);
  if (boot.view?.kind !== "notFound") preloadPage(viewPath(location), boot.page);
}
