// Builds the shell with which `colonnade dev` works without a site into the package, unless it is up to date.
import { access, mkdir } from "node:fs/promises";
import path from "node:path";

import { loadConfig } from "../dist/build/config.js";
import { readInputs, writeInputs } from "../dist/build/inputs.js";
import { installedVersions } from "../dist/build/shared.js";
import { identify, inputsBelow } from "../dist/build/version.js";

const CLI = path.resolve(import.meta.dirname, "..");
const FOLDER = path.join(CLI, "development-shell");
const OUTPUT = path.join(FOLDER, "dist");
const FILE = path.join(OUTPUT, "development.tgz");
const SHELL_PACKAGE = "../../shell/dist";
const MODE = { final: false, development: true };

const config = await loadConfig(FOLDER);
const modules = await inputsBelow(path.join(FOLDER, SHELL_PACKAGE));
const outside = modules.filter((name) => name.endsWith(".js")).map((name) => `${SHELL_PACKAGE}/${name}`);
const identity = await identify(FOLDER, config, MODE, outside);
const exists = await access(FILE).then(
  () => true,
  () => false,
);
if (!exists || (await readInputs(OUTPUT))?.inputs !== identity.inputs) {
  // Loading webpack takes longer than the rest.
  const { packDevelopmentShell } = await import("../dist/build/developmentShell.js");
  await mkdir(OUTPUT, { recursive: true });
  const context = {
    folder: FOLDER,
    output: OUTPUT,
    config,
    identity,
    installed: installedVersions(FOLDER),
    mode: MODE,
  };
  await packDevelopmentShell(context, FILE);
  await writeInputs(OUTPUT, identity, MODE, outside);
}
