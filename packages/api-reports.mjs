// Compares what the packages export with the API reports, `packages/<package>/api/<package>-<entry>.api.md`. Each public entry has one.
// `--local` updates the reports. All entries of a package are compiled at once: TypeScript takes most of the time.
import { readFileSync } from "node:fs";
import path from "node:path";

import { CompilerState, Extractor, ExtractorConfig } from "@microsoft/api-extractor";

/** The packages, with their entries that are only for tools of this repository. */
const INTERNAL_ENTRIES = {
  kit: ["./contract", "./html/parser", "./server", "./shell"],
  cli: [],
  design: [],
  shell: ["./bootstrap", "./browser", "./server", "./sharing"],
};

const base = ExtractorConfig.loadFile(path.join(import.meta.dirname, "api-extractor.base.json"));
const localBuild = process.argv.includes("--local");

/** Returns the configuration of each entry of a package that has a report. */
function configurations(name) {
  const projectFolder = path.join(import.meta.dirname, name);
  const packageJsonFullPath = path.join(projectFolder, "package.json");
  const { exports } = JSON.parse(readFileSync(packageJsonFullPath, "utf8"));
  const entries = Object.entries(exports).filter(
    ([entry, { default: script }]) => script?.endsWith(".js") && !INTERNAL_ENTRIES[name].includes(entry),
  );
  return entries.map(([entry, { types }]) =>
    ExtractorConfig.prepare({
      configObject: {
        ...base,
        projectFolder,
        mainEntryPointFilePath: path.join(projectFolder, types),
        apiReport: { ...base.apiReport, reportFileName: entry.replace(/^\./, name).replaceAll("/", "-") },
      },
      configObjectFullPath: undefined,
      packageJsonFullPath,
    }),
  );
}

for (const name of Object.keys(INTERNAL_ENTRIES)) {
  const configs = configurations(name);
  const additionalEntryPoints = configs.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath);
  const compilerState = CompilerState.create(configs[0], { additionalEntryPoints });
  for (const config of configs) {
    const { succeeded } = Extractor.invoke(config, { localBuild, compilerState });
    if (!succeeded) process.exitCode = 1;
  }
}
