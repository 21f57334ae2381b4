import { copyFile, mkdir, readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";

import { UsageError } from "../build/usageError.js";
import { PACKAGES } from "./scaffold.js";

/** Where the package manager gets one of the {@link PACKAGES}. */
export interface PackageSource {
  readonly name: string;
  /** Version or file, as in `package.json`. */
  readonly spec: string;
  /** A packed package outside of the section, and its copy in the section, which the spec names. */
  readonly archive?: { readonly from: string; readonly to: string };
}

/** The folder of packed packages in a section. */
const VENDOR = "vendor";
const EXPECTED = "expected a version, or a folder with the packed packages";

/**
 * Resolves where the section in `target` gets its packages: one version of all, or a folder with the files that `npm pack`
 * created. A clone of the section's repository has no files outside of it, so packed packages get a copy in the section.
 * `option` is the option that has the value.
 *
 * @throws UsageError if the value names no folder and no version, or the folder lacks a package.
 */
export async function packageSources(
  value: string,
  folder: string,
  target: string,
  option: string,
): Promise<readonly PackageSource[]> {
  const packed = path.resolve(folder, value);
  const files = await readdir(packed).catch(() => undefined);
  if (files) return PACKAGES.map((name) => packedSource(name, packed, files, target, option));
  const found = await stat(packed).catch(() => undefined);
  if (found || !/^[\w.^~<>=*| -]+$/.test(value))
    throw new UsageError(
      `${option} is ${JSON.stringify(value)}, but ${packed} ${found ? "is a file" : "does not exist"}; ${EXPECTED}`,
    );
  return PACKAGES.map((name) => ({ name, spec: value }));
}

function packedSource(
  name: string,
  packed: string,
  files: readonly string[],
  target: string,
  option: string,
): PackageSource {
  // The name that `npm pack` gives to the file of a package with a scope.
  const prefix = `${name.slice(1).replace("/", "-")}-`;
  const found = files.filter((file) => file.startsWith(prefix) && file.endsWith(".tgz"));
  const [file] = found;
  if (file === undefined || found.length > 1)
    throw new UsageError(
      `${option} is the folder ${packed}, which has ${String(found.length)} files ${prefix}*.tgz; expected one`,
    );
  const from = path.join(packed, file);
  const isOutside = !from.startsWith(target + path.sep);
  const to = isOutside ? path.join(target, VENDOR, file) : from;
  // npm resolves the path of a file relative to the package that names it.
  const spec = `file:${path.relative(target, to).split(path.sep).join("/")}`;
  return isOutside ? { name, spec, archive: { from, to } } : { name, spec };
}

/** Whether the section has no copy of a packed package, or another file of the same name. */
export async function isArchiveNew({ archive }: PackageSource): Promise<boolean> {
  if (archive === undefined) return false;
  const [from, to] = await Promise.all([readFile(archive.from), readFile(archive.to).catch(() => null)]);
  return to === null || !from.equals(to);
}

/** Copies packed packages into the section. */
export async function copyArchives(sources: readonly PackageSource[]): Promise<void> {
  for (const { archive } of sources) {
    if (archive === undefined) continue;
    await mkdir(path.dirname(archive.to), { recursive: true });
    await copyFile(archive.from, archive.to);
  }
}

/** Returns the path of a packed package in the section that a spec names, relative to the section. */
export function vendoredArchive(spec: string): string | undefined {
  return spec.startsWith(`file:${VENDOR}/`) ? spec.slice("file:".length) : undefined;
}
