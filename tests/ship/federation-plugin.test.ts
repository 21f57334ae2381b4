// Sections whose containers are built by the plugin of @module-federation/enhanced, as earlier versions of the kit built them.
import { cp, writeFile } from "node:fs/promises";
import path from "node:path";

import { waitForHydration } from "../support/hydration";
import { ROOT } from "../support/repository.mjs";
import { expectScreen, follow } from "../support/screens";
import { expect, sectionCommand, test } from "../support/section-command";

function configuration(externalRuntime: boolean): string {
  return `
import { ModuleFederationPlugin } from "@module-federation/enhanced/webpack";
import { defineConfig } from "@colonnade/cli";

function replace(plugin) {
  if (plugin.constructor.name !== "ModuleFederationPlugin") return plugin;
  const optimization = { disableSnapshot: true, disableRemote: true, target: "web" };
  const experiments = { externalRuntime: ${String(externalRuntime)}, optimization };
  return new ModuleFederationPlugin({ ...plugin.options, dts: false, manifest: false, experiments });
}

export default defineConfig({
  name: "compare-cities",
  entry: "./src/section.ts",
  webpack: (configuration, { side }) =>
    side === "client" ? { ...configuration, plugins: configuration.plugins.map(replace) } : configuration,
});
`;
}

// The shell loads its runtime only for the first kind of container.
for (const externalRuntime of process.env.SOAK ? [true, false] : [true]) {
  const which = externalRuntime ? "the shell's runtime" : "a runtime of its own";
  test(`A container of the federation plugin with ${which} works`, async ({ page, startOwnSite, folder }) => {
    const own = await startOwnSite();
    const target = path.join(folder, "compare-cities");
    await cp(path.join(ROOT, "examples/compare-cities"), target, { recursive: true });
    await writeFile(path.join(target, "section.config.js"), configuration(externalRuntime));
    const section = sectionCommand(own.access);
    await section(target, "build");
    await section(target, "publish");
    await section(target, "deploy");

    await page.goto(`${own.url}/compare-cities`);
    await waitForHydration(page);
    expect(await page.evaluate(() => "_FEDERATION_RUNTIME_CORE" in globalThis)).toBe(externalRuntime);
    await follow(page, "/terms");
    await expectScreen(page, "Terms of use");
    await follow(page, "/compare-cities");
    await expectScreen(page, "Compare two cities");
  });
}
