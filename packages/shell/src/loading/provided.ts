import type { Boot } from "@colonnade/kit/shell";

import type { RouterHistory } from "../navigation/history.js";
import type { ShellParts } from "../parts.js";
import type { PinnedDeployment } from "./pinnedDeployment.js";

/** What the main script provides to code that runs before it. */
export interface Provided {
  /** The boot payload. */
  readonly boot: Pick<Boot, "deployment" | "configs">;
  readonly deployment: PinnedDeployment;
  readonly routerHistory: RouterHistory;
  readonly parts: Pick<ShellParts, "dialog" | "federationPlugins">;
}

/** Provides them, once: sections begin to load before the main script runs. */
export let provide: (provided: Provided) => void;

/** What was provided. */
export const provided = new Promise<Provided>((resolve) => {
  provide = resolve;
});
