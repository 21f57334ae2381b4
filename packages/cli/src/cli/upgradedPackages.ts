import { isScalar, parseDocument } from "yaml";

import { rejectMark } from "../build/folder.js";
import { UsageError } from "../build/usageError.js";
import { PACKAGES } from "./scaffold.js";

/** The change of a package's version in `package.json`. */
export interface PackageChange {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** The new text of a `package.json`, and its changes. */
interface ChangedPackages {
  readonly text: string;
  readonly changes: readonly PackageChange[];
}

const GROUPS = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
const EXACT_VERSION = /^\d+\.\d+\.\d+$/;

/**
 * Sets the versions of the packages that a `package.json` already depends on. Keeps its formatting, and later versions of
 * packages other than {@link PACKAGES}.
 *
 * @throws UsageError if it is not JSON or does not depend on all of them.
 */
export function setVersions(file: string, text: string, versions: Readonly<Record<string, string>>): ChangedPackages {
  const dependencies = dependenciesOf(file, text);
  const missing = PACKAGES.find((name) => !dependencies.some((dependency) => dependency.name === name));
  if (missing) throw new UsageError(`${file} does not depend on ${missing}; run this in the folder of a section`);
  const changes = dependencies.flatMap((dependency) => {
    const to = versions[dependency.name];
    const isKept = to === undefined || to === dependency.from || isEarlier(to, dependency);
    return isKept ? [] : [{ ...dependency, to }];
  });
  // The last change comes first, so that earlier positions stay valid.
  const changed = [...changes]
    .sort((a, b) => b.start - a.start)
    .reduce((current, { start, end, to }) => current.slice(0, start) + JSON.stringify(to) + current.slice(end), text);
  return { text: changed, changes: changes.map(({ name, from, to }) => ({ name, from, to })) };
}

interface Dependency {
  readonly name: string;
  readonly from: string;
  /** Position of the version, with its quotes. */
  readonly start: number;
  readonly end: number;
}

// JSON is a subset of YAML, and the YAML parser returns the position of each value.
function dependenciesOf(file: string, text: string): Dependency[] {
  const manifest = parseManifest(file, text);
  const document = parseDocument(text, { version: "1.2" });
  return GROUPS.flatMap((group) =>
    Object.keys(manifest[group] ?? {}).flatMap((name) => {
      const node: unknown = document.getIn([group, name], true);
      if (!isScalar(node) || typeof node.value !== "string" || !node.range) return [];
      const [start, end] = node.range;
      return [{ name, from: node.value, start, end }];
    }),
  );
}

function parseManifest(file: string, text: string): Readonly<Record<string, object | undefined>> {
  rejectMark(file, text);
  try {
    return JSON.parse(text) as Readonly<Record<string, object | undefined>>;
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${String(error)}`, { cause: error });
  }
}

function isPackage(name: string): boolean {
  return (PACKAGES as readonly string[]).includes(name);
}

function isEarlier(to: string, { name, from }: Dependency): boolean {
  const areComparable = !isPackage(name) && EXACT_VERSION.test(to) && EXACT_VERSION.test(from);
  return areComparable && to.localeCompare(from, "en", { numeric: true }) < 0;
}
