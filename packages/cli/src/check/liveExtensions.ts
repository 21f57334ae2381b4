import type { ExtensionList } from "../build/extensionList.js";
import type { ReleaseExtensionPoint } from "../build/release.js";
import { referenceOf } from "./listedPoints.js";
import { problemOf, type Problem } from "./problem.js";
import type { ExtensionTask } from "./report.js";

/** A live section, or the shell, with what it opens and fills. */
export interface LiveRelease extends ExtensionList {
  readonly name: string;
  readonly version: string;
}

/** What a checked section, or the shell, opens and fills. */
export interface OwnExtensions {
  readonly name: string;
  readonly points: readonly ReleaseExtensionPoint[];
  /** The order of each extension, by the reference of its point. */
  readonly orders: ReadonlyMap<string, number>;
}

// How the gateway names the point and the example with which an extension fails.
const FAILED = /^rendering `([^`]+)`.*? with example (\d+) of /;

// What helps if a deploy would be rejected because pages would lose an extension.
const PUSHED_OUT = "Change `order` or `max`, or ask the operator to set `order` or `allow` of the point in site.toml.";

type Opener = Pick<LiveRelease, "extensionPoints"> & { readonly label: string };

/**
 * The extensions of a section, each with the examples of its point: those of the section's own, and of live releases. Others are
 * not known here.
 */
export function extensionTasks(
  references: readonly string[],
  { name, points }: Pick<OwnExtensions, "name" | "points">,
  live: readonly LiveRelease[],
): ExtensionTask[] {
  const openers = openersOf({ name, points }, live);
  return references.map((point) => {
    const opener = openers.get(ownerOf(point));
    const opened = opener?.extensionPoints.find((each) => referenceOf(each) === point);
    const examples = (opened?.examples ?? []).map((example) => JSON.stringify(example));
    return { point, examples, ...(opener && opener.label !== name && { opener: opener.label }) };
  });
}

/**
 * Finds extensions that no page would show if the checked release replaced the live one of its name: those of this release, and
 * those of its points. `locationOf` returns the position of a part of the section.
 */
export function findUnshown(
  own: OwnExtensions,
  live: readonly LiveRelease[],
  locationOf: (part: string) => string | undefined,
): Problem[] {
  const openers = openersOf(own, live);
  const others = live.filter(({ name }) => name !== own.name);
  const filling = inOrder([
    ...[...own.orders].map(([point, order]) => ({ point, order, name: own.name, label: own.name })),
    ...others.flatMap(fillsOf),
  ]);
  const concerned = filling.filter(({ point }) => own.orders.has(point) || ownerOf(point) === own.name);
  return [...new Set(concerned.map(({ point }) => point))].flatMap((point) => {
    const all = filling.filter((extension) => extension.point === point);
    const opener = openers.get(ownerOf(point));
    const max = opener?.extensionPoints.find((each) => referenceOf(each) === point)?.max;
    const location = locationOf(own.orders.has(point) ? `extensions ${point}` : "pages");
    const warn = (message: string, advice?: string): Problem => problemOf("COL171", message, location, advice);
    if (max !== undefined) {
      const leftOut = all.slice(max);
      if (leftOut.length === 0) return [];
      const shown = `"${point}" shows ${String(max)} extension${max === 1 ? "" : "s"}`;
      const found = `${shown}; ${described(leftOut)} ${leftOut.length === 1 ? "is" : "are"} left out`;
      const shownNow = shownBy(live, point);
      const pushed = leftOut.filter(({ name, label }) => name !== own.name && shownNow.has(label));
      if (pushed.length === 0) return [warn(found)];
      return [
        warn(
          `${found}; pages show ${described(pushed)} now, so a deploy is rejected unless site.toml permits it`,
          PUSHED_OUT,
        ),
      ];
    }
    const isOfOwn = ownerOf(point) === own.name;
    const versions = otherVersions(point, opener);
    return all
      .filter(({ name }) => isOfOwn || name === own.name)
      .map(({ label }) => warn(`${label} fills "${point}", which no live section opens${versions}`));
  });
}

type Fill = ReturnType<typeof fillsOf>[number];

function fillsOf({ name, version, extensions }: LiveRelease) {
  return extensions.map((extension) => ({ ...extension, name, label: `${name}@${version}` }));
}

function inOrder(fills: readonly Fill[]): Fill[] {
  return fills.toSorted((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1));
}

function described(fills: readonly Fill[]): string {
  return fills.map(({ label, order }) => `${label} (order ${String(order)})`).join(", ");
}

/** The labels of the extensions that live releases show at a point. */
function shownBy(live: readonly LiveRelease[], point: string): ReadonlySet<string> {
  const opened = live.flatMap(({ extensionPoints }) => extensionPoints).find((each) => referenceOf(each) === point);
  const filling = inOrder(live.flatMap(fillsOf).filter((fill) => fill.point === point));
  return new Set(filling.slice(0, opened?.max ?? 0).map(({ label }) => label));
}

/** A release that is checked, with the points that it would open. */
export interface TriedRelease extends Pick<OwnExtensions, "name" | "points"> {
  readonly version: string;
}

/** What is known of the live releases. */
export interface KnownLive {
  /** Undefined if they are unknown. */
  readonly live?: readonly LiveRelease[];
  /** Returns which live extensions of other sections newly fail with the examples of a release. Absent without an admin listener. */
  readonly trial?: (release: TriedRelease) => Promise<readonly string[]>;
}

/**
 * Finds the live extensions of other sections that fail with the examples of a release, as a deploy of it does. Warns of points
 * whose extensions cannot be tried.
 */
export async function findBroken(
  release: TriedRelease,
  { live, trial }: KnownLive,
  locationOf: (part: string) => string | undefined,
): Promise<Problem[]> {
  const others = live?.filter(({ name }) => name !== release.name);
  const isFilled = (reference: string): boolean =>
    others?.some(({ extensions }) => extensions.some(({ point }) => point === reference)) ?? trial !== undefined;
  const filled = release.points.map(referenceOf).filter(isFilled);
  if (filled.length === 0) return [];
  const location = locationOf("pages");
  const untried = (advice: string): Problem[] => {
    const message = `the live extensions of ${filled.map((each) => `"${each}"`).join(", ")} were not rendered with the examples`;
    return [{ ...problemOf("COL173", message, location, advice), severity: "warning" }];
  };
  if (!trial) return untried("Set COLONNADE_ADMIN and COLONNADE_TOKEN: the gateway renders them, as a publish does.");
  try {
    return (await trial(release)).map((problem) => {
      const [, point = "", example = ""] = FAILED.exec(problem) ?? [];
      return problemOf("COL173", problem, locationOf(`${point} ${example}`) ?? location);
    });
  } catch (error) {
    return untried(error instanceof Error ? error.message : String(error));
  }
}

/** The name of the section whose point has this reference. */
function ownerOf(reference: string): string {
  return reference.slice(0, reference.indexOf("/"));
}

/** What opens points, by name. The checked release has no version yet. */
function openersOf(
  { name, points }: Pick<OwnExtensions, "name" | "points">,
  live: readonly LiveRelease[],
): ReadonlyMap<string, Opener> {
  const openers = live.map((release): [string, Opener] => [
    release.name,
    { ...release, label: `${release.name}@${release.version}` },
  ]);
  return new Map([...openers, [name, { extensionPoints: points, label: name }]]);
}

/** In which other versions a point is open, as the end of a sentence. */
function otherVersions(reference: string, opener: Opener | undefined): string {
  const id = reference.slice(0, reference.indexOf("@"));
  const versions = (opener?.extensionPoints ?? []).filter((point) => point.id === id).map(referenceOf);
  return versions.length === 0
    ? ""
    : `; ${opener?.label ?? ""} opens ${versions.map((each) => `"${each}"`).join(", ")}`;
}
