import { expect, test } from "vitest";

import { findBroken, findUnshown, type KnownLive, type LiveRelease } from "./liveExtensions.js";

const pointOf = (version: number, max = 2) => ({ id: "directory/aside", version, max, examples: [{}] });
const fills = (name: string, order: number, point = "directory/aside@1"): LiveRelease => ({
  ...{ name, version: "1.0.0", extensionPoints: [] },
  extensions: [{ point, order }],
});
const DIRECTORY: LiveRelease = { name: "directory", version: "2.0.0", extensionPoints: [pointOf(1)], extensions: [] };
const hello = (point: string) => ({ name: "hello", points: [], orders: new Map([[point, 5]]) });
const directory = (...points: readonly ReturnType<typeof pointOf>[]) => ({
  ...{ name: "directory", points, orders: new Map<string, number>() },
});

test.each([
  ["an open point", hello("directory/aside@1"), [DIRECTORY, fills("a", 1)], []],
  [
    "a point with others that come first",
    hello("directory/aside@1"),
    [DIRECTORY, fills("b", 5), fills("a", 5), fills("z", 5)],
    [
      'extensions directory/aside@1: "directory/aside@1" shows 2 extensions; hello (order 5), z@1.0.0 (order 5) are left out',
    ],
  ],
  [
    "a fill that pushes out a shown extension",
    hello("directory/aside@1"),
    [DIRECTORY, fills("a", 1), fills("b", 6), fills("c", 7)],
    [
      'extensions directory/aside@1: "directory/aside@1" shows 2 extensions; b@1.0.0 (order 6), c@1.0.0 (order 7) are left out; pages show b@1.0.0 (order 6) now, so a deploy is rejected unless site.toml permits it',
    ],
  ],
  [
    "a version that is not open",
    hello("directory/aside@3"),
    [DIRECTORY, fills("a", 1, "directory/aside@3")],
    [
      'extensions directory/aside@3: hello fills "directory/aside@3", which no live section opens; directory@2.0.0 opens "directory/aside@1"',
    ],
  ],
  [
    "a point of no live section",
    hello("shop/aside@1"),
    [DIRECTORY],
    ['extensions shop/aside@1: hello fills "shop/aside@1", which no live section opens'],
  ],
  [
    "an own point that shows fewer",
    directory(pointOf(1, 1)),
    [DIRECTORY, fills("b", 2), fills("a", 3)],
    [
      'pages: "directory/aside@1" shows 1 extension; a@1.0.0 (order 3) is left out; pages show a@1.0.0 (order 3) now, so a deploy is rejected unless site.toml permits it',
    ],
  ],
  [
    "an own point that is removed",
    directory(pointOf(2)),
    [DIRECTORY, fills("a", 3), fills("b", 1, "shop/aside@1")],
    ['pages: a@1.0.0 fills "directory/aside@1", which no live section opens; directory opens "directory/aside@2"'],
  ],
] as const)("%s", (_, own, live, expected) => {
  const found = findUnshown(own, live, (part) => part);
  expect(found.map(({ location, message }) => `${location ?? ""}: ${message}`)).toEqual(expected);
  expect(found.every(({ code, severity }) => code === "COL171" && severity === "warning")).toBe(true);
});

const UNTRIED = 'the live extensions of "directory/aside@1" were not rendered with the examples';
const FAILS =
  "rendering `directory/aside@1` (extension of events@1.0.0) with example 1 of directory@2.0.0, `{}`, failed: x";
const failing: KnownLive["trial"] = ({ name, version, points }) =>
  Promise.resolve(points.length === 2 ? [FAILS, `${name}@${version} fails`] : []);
const refused: KnownLive["trial"] = () => Promise.reject(new Error("403 Forbidden"));

const FAILURES = [`directory/aside@1 1: error: ${FAILS}`, "pages: error: directory@2.0.0 fails"];

test.each<[string, KnownLive, readonly string[]]>([
  ["a live extension that fails", { live: [fills("events", 1)], trial: failing }, FAILURES],
  ["an admin listener alone", { trial: failing }, FAILURES],
  ["points that only the section itself fills", { live: [fills("directory", 1)], trial: failing }, []],
  ["no admin listener", { live: [fills("events", 1)] }, [`pages: warning: ${UNTRIED} Set COLONNADE_ADMIN`]],
  [
    "an admin listener that refuses",
    { live: [fills("events", 1)], trial: refused },
    [`pages: warning: ${UNTRIED} 403 Forbidden`],
  ],
  ["neither a site nor an admin listener", {}, []],
])("new examples and %s", async (_, known, expected) => {
  const release = { name: "directory", version: "2.0.0", points: [pointOf(1), pointOf(2)] };
  const found = await findBroken(release, known, (part) => part.trim() || undefined);
  expect(
    found.map(({ location, severity, message, help }) => `${location ?? ""}: ${severity}: ${message} ${help ?? ""}`),
  ).toEqual(expected.map((text) => expect.stringContaining(text) as string));
  expect(found.every(({ code }) => code === "COL173")).toBe(true);
});
