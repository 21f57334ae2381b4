import { createRequire } from "node:module";
import path from "node:path";

import type { WebpackPluginInstance } from "webpack";

import { UsageError } from "./usageError.js";

const PACKAGE = "@module-federation/enhanced";

interface EnhancedPackage {
  readonly ModuleFederationPlugin: new (options: object) => WebpackPluginInstance;
}

/**
 * Creates the plugin of `@module-federation/enhanced` that is installed for a section. Its container uses the runtime of the shell,
 * whose shared packages are its only ones.
 *
 * @throws UsageError if the package is not installed.
 */
export function enhancedFederation(folder: string, options: object): WebpackPluginInstance {
  const { ModuleFederationPlugin } = installed(folder);
  const optimization = { disableSnapshot: true, disableRemote: true, target: "web" };
  return new ModuleFederationPlugin({
    ...options,
    // The build writes the manifest and the types itself.
    dts: false,
    manifest: false,
    experiments: { externalRuntime: true, optimization },
  });
}

function installed(folder: string): EnhancedPackage {
  const require = createRequire(path.join(folder, "package.json"));
  try {
    require.resolve(`${PACKAGE}/webpack`);
  } catch {
    throw new UsageError(
      `${folder}: federation: "enhanced" needs ${PACKAGE}, which is not installed; run \`npm install --save-dev ${PACKAGE}@2\``,
    );
  }
  // The option of a build is synchronous, and the package is CommonJS.
  return require(`${PACKAGE}/webpack`) as EnhancedPackage;
}
