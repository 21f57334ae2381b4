// Runs with the shell's first script, so that the page's code downloads while the browser fetches and compiles React DOM.

// First: the Trusted Types policy must exist before any module loads a script.
import "./trustedTypes.js";

import { readBoot } from "./boot.js";
// Before the boot payload is read.
import "./documentMembers.js";
import { preloadPage } from "./loading/loadPage.js";

/** The boot payload of this document. */
export const boot = readBoot(document);

if (boot.page && boot.view?.kind !== "notFound") preloadPage(location.pathname, boot.page);
