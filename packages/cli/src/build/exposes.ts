import { checkFile } from "./isFile.js";
import { UsageError } from "./usageError.js";

/** Paths of modules, relative to the package, by the names that the section exposes them by, such as `./PriceTag`. */
export type Exposes = Readonly<Record<string, string>>;

/** Name of the module of a container whose default export is the section. */
export const SECTION_MODULE = "./section";

const MAX_MODULES = 100;
const MAX_NAME = 128;
// As in the gateway: gateway/crates/model/src/release/validate/extensions.rs.
const NAME = /^\.(\/[A-Za-z0-9][A-Za-z0-9_-]*)+$/;

/** Returns whether a section can expose a module by this name. */
export function isModuleName(name: string): boolean {
  return NAME.test(name) && name.length <= MAX_NAME;
}

/**
 * Checks the `exposes` of a configuration. `file` is its path, and `folder` that of the section.
 *
 * @throws UsageError if it is no object, a name is invalid, or a module does not exist.
 */
export async function checkExposes(file: string, exposes: unknown, folder: string): Promise<void> {
  if (typeof exposes !== "object" || exposes === null || Array.isArray(exposes))
    throw new UsageError(`${file}: exposes is ${JSON.stringify(exposes)}; expected { "./Name": "./src/Name.tsx" }`);
  const modules = Object.entries(exposes);
  if (modules.length > MAX_MODULES)
    throw new UsageError(
      `${file}: exposes has ${String(modules.length)} modules; expected at most ${String(MAX_MODULES)}`,
    );
  for (const [name, module] of modules) {
    if (!isModuleName(name))
      throw new UsageError(
        `${file}: exposes has the name ${JSON.stringify(name)}; expected "./" and a name of letters, digits, "-", "_" and "/", such as "./PriceTag"`,
      );
    if (name === SECTION_MODULE)
      throw new UsageError(`${file}: exposes has the name "${name}", which is the section itself; choose another name`);
    await checkFile(file, folder, `exposes["${name}"]`, module, "the path of a module, relative to the package");
  }
}

/** Name of the chunk that contains an exposed module. A part of a name has no dot, so no two modules have the same. */
export function exposedChunk(name: string): string {
  return `exposed${name.slice(1).replaceAll("/", ".")}`;
}
