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
    ['pages: "directory/aside@1" shows 1 extension; a@1.0.0 (order 3) is left out'],
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
const failing: KnownLive["trial"] = ({ name, version, points }) =>
  Promise.resolve([`${name}@${version} with ${String(points.length)} points`]);
const refused: KnownLive["trial"] = () => Promise.reject(new Error("403 Forbidden"));

test.each<[string, KnownLive, readonly string[]]>([
  [
    "a live extension that fails",
    { live: [fills("events", 1)], trial: failing },
    ["error: directory@2.0.0 with 2 points"],
  ],
  ["an admin listener alone", { trial: failing }, ["error: directory@2.0.0 with 2 points"]],
  ["points that only the section itself fills", { live: [fills("directory", 1)], trial: failing }, []],
  ["no admin listener", { live: [fills("events", 1)] }, [`warning: ${UNTRIED} Set COLONNADE_ADMIN`]],
  [
    "an admin listener that refuses",
    { live: [fills("events", 1)], trial: refused },
    [`warning: ${UNTRIED} 403 Forbidden`],
  ],
  ["neither a site nor an admin listener", {}, []],
])("new examples and %s", async (_, known, expected) => {
  const release = { name: "directory", version: "2.0.0", points: [pointOf(1), pointOf(2)] };
  const found = await findBroken(release, known, (part) => part);
  expect(
    found.map(({ severity, message, help }) => `${severity}: ${message}${severity === "error" ? "" : ` ${help}`}`),
  ).toEqual(expected.map((text) => expect.stringMatching(`^${text}`) as string));
  expect(found.every(({ code, location }) => code === "COL173" && location === "pages")).toBe(true);
});
