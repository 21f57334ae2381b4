import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { SHARED_PACKAGES } from "./shared.js";

/** Specifiers that sections' server modules import from the shell. */
export const SERVER_SPECIFIERS = [...SHARED_PACKAGES, "react/jsx-runtime"] as const;

/** Specifier of the shell's server module. */
const SHELL_SPECIFIER = "shell";
/** Specifier of the section's server module. */
const SECTION_SPECIFIER = "section";

/** File of each server module, relative to the release folder, by specifier. */
export type ServerModules = Readonly<Record<string, string>>;

/** Output file of a package's server module. */
const INDEX = "server/index.js";

/** A section's server module, relative to the release folder. */
export const SERVER_MODULE = INDEX;

/** Server modules of a section. */
export const SECTION_MODULES: ServerModules = { [SECTION_SPECIFIER]: INDEX };

// Converts a specifier to a JavaScript identifier: `react/jsx-runtime` becomes `reactJsxRuntime`.
function identifierOf(specifier: string): string {
  return specifier.replace(/^[^a-z]+/, "").replace(/[^a-z]+([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the source of a module that exports the `render` of a shell. `entry` is the path of its entry module. */
export function shellRender(entry: string): string {
  return [
    'import { createRender } from "@colonnade/shell/server";',
    `import shell from ${JSON.stringify(entry)};`,
    "export const render = createRender(shell);",
  ].join("\n");
}

/**
 * Returns the source of the shell's server entry, which exports `render` and each shared package as a namespace. `entry` is the
 * path of the shell's entry module.
 */
export function shellServerEntry(entry: string): string {
  const shared = SERVER_SPECIFIERS.map(
    (specifier) => `export * as ${identifierOf(specifier)} from ${JSON.stringify(specifier)};`,
  );
  return [shellRender(entry), ...shared].join("\n");
}

/**
 * Writes one module per shared package that re-exports the package from the shell's server module, so that shell and section
 * render with the same instance.
 */
export async function writeSharedModules(folder: string, output: string): Promise<ServerModules> {
  const require = createRequire(path.join(folder, "package.json"));
  const modules: Record<string, string> = { [SHELL_SPECIFIER]: INDEX };
  await mkdir(path.join(output, "server"), { recursive: true });
  for (const specifier of SERVER_SPECIFIERS) {
    const name = identifierOf(specifier);
    const exported = (await import(pathToFileURL(require.resolve(specifier)).href)) as Record<string, unknown>;
    const names = Object.keys(exported).filter((key) => /^[A-Za-z_$][\w$]*$/.test(key) && key !== "default");
    const text = [
      `import { ${name} as shared } from "${SHELL_SPECIFIER}";`,
      "export default shared.default;",
      `export const { ${names.join(", ")} } = shared;`,
      "",
    ].join("\n");
    const file = `server/${name}.js`;
    await writeFile(path.join(output, file), text);
    modules[specifier] = file;
  }
  return modules;
}
