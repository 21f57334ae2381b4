import type { Boot } from "@colonnade/kit/shell";

import type { FederationPlugin } from "./federationRuntime.js";
import type { PinnedDeployment } from "./pinnedDeployment.js";

/** What the main script provides to code that runs before it. */
interface Provided {
  /** The boot payload. */
  readonly boot: Pick<Boot, "deployment" | "configs">;
  readonly deployment: PinnedDeployment;
  /** The site's plugins of the Module Federation runtime. */
  readonly federationPlugins: readonly FederationPlugin[];
}

/** Provides the deployment and the plugins, once: sections begin to load before the main script runs. */
export let provide: (provided: Provided) => void;

/** What was provided. */
export const provided = new Promise<Provided>((resolve) => {
  provide = resolve;
});
