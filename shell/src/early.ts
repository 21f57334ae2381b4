// Runs with the shell's first script: the page's own code comes while the browser fetches and compiles the renderer.

// Before any other module runs: whatever loads a script from here on is held to it.
import "./trustedTypes";

import { readBoot } from "./boot";
import { startFederation } from "./loading/federation";
import { beginPage } from "./loading/page";

/** What the gateway says of this document. */
export const boot = readBoot(document);

startFederation();
if (boot.page && boot.view?.kind !== "notFound") beginPage(location.pathname, boot.page);
