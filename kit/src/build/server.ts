import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { SHARED_PACKAGES } from "./shared.js";

/** The specifiers that a section's server module imports and the shell provides. */
export const SERVER_SPECIFIERS = [...SHARED_PACKAGES, "react/jsx-runtime"] as const;

/** The specifier by which a render finds the shell's server module. */
const SHELL_SPECIFIER = "shell";
/** The specifier by which the shell's `render` is given a section's. */
const SECTION_SPECIFIER = "section";

/** A server module's file below the release folder, by its specifier. */
export type ServerModules = Readonly<Record<string, string>>;

/** Where webpack writes a package's server module. */
const INDEX = "server/index.js";

/** The server modules of a section. */
export const SECTION_MODULES: ServerModules = { [SECTION_SPECIFIER]: INDEX };

// `react/jsx-runtime` as a name in JavaScript.
function nameOf(specifier: string): string {
  return specifier.replace(/^[^a-z]+/, "").replace(/[^a-z]+([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The text of the shell's server entry: its own `render`, and every shared package. */
export function shellServerEntry(render: string): string {
  const shared = SERVER_SPECIFIERS.map(
    (specifier) => `export * as ${nameOf(specifier)} from ${JSON.stringify(specifier)};`,
  );
  return [`export { render } from ${JSON.stringify(render)};`, ...shared].join("\n");
}

/**
 * Writes a module for each shared package that hands on what the shell's server module has of it, so that a
 * render has each package once, and the shell's own.
 */
export async function writeSharedModules(folder: string, output: string): Promise<ServerModules> {
  const require = createRequire(path.join(folder, "package.json"));
  const modules: Record<string, string> = { [SHELL_SPECIFIER]: INDEX };
  await mkdir(path.join(output, "server"), { recursive: true });
  for (const specifier of SERVER_SPECIFIERS) {
    const name = nameOf(specifier);
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
