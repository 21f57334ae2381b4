import { copyFile, mkdir, readFile, stat } from "node:fs/promises";
import path from "node:path";

import { UsageError } from "../build/usageError.js";

/** Where the package manager gets the kit. */
interface KitSource {
  /** npm package spec, as in `package.json`. */
  readonly spec: string;
  /** A packed kit outside of the section, and its copy in the section, which the spec names. */
  readonly archive?: { readonly from: string; readonly to: string };
}

/** The folder of packed kits in a section. */
const VENDOR = "vendor";

/**
 * Resolves a package spec of the kit for the section in `target`. A clone of the section's repository has no files outside
 * of it, so a packed kit gets a copy in the section. `option` is the option that has the spec.
 *
 * @throws UsageError if the spec names a file that does not exist.
 */
export async function kitSource(spec: string, folder: string, target: string, option: string): Promise<KitSource> {
  const isFile = /^(file:|\.{0,2}\/)/.test(spec) || (/\.(tgz|tar\.gz)$/.test(spec) && !spec.includes(":"));
  if (!isFile) return { spec };
  const file = path.resolve(folder, spec.replace(/^file:/, ""));
  const found = await stat(file).catch(() => {
    throw new UsageError(
      `${option} is ${JSON.stringify(spec)}, but ${file} does not exist; expected a tarball of the kit`,
    );
  });
  const isOutside = !file.startsWith(target + path.sep);
  const from = file;
  const to = isOutside && found.isFile() ? path.join(target, VENDOR, path.basename(file)) : file;
  // npm resolves the path of a file relative to the package that names it.
  const relative = `file:${path.relative(target, to).split(path.sep).join("/")}`;
  return to === from ? { spec: relative } : { spec: relative, archive: { from, to } };
}

/** Whether the section has no copy of a packed kit, or another file of the same name. */
export async function isArchiveNew({ archive }: KitSource): Promise<boolean> {
  if (archive === undefined) return false;
  const [from, to] = await Promise.all([readFile(archive.from), readFile(archive.to).catch(() => null)]);
  return to === null || !from.equals(to);
}

/** Copies a packed kit into the section. */
export async function copyArchive({ archive }: KitSource): Promise<void> {
  if (archive === undefined) return;
  await mkdir(path.dirname(archive.to), { recursive: true });
  await copyFile(archive.from, archive.to);
}

/** Returns the path of a packed kit in the section that a spec names, relative to the section. */
export function vendoredArchive(spec: string): string | undefined {
  return spec.startsWith(`file:${VENDOR}/`) ? spec.slice("file:".length) : undefined;
}
