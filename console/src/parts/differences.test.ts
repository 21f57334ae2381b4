import { expect, test } from "vitest";

import type { ReleaseDescription } from "../openapi.js";
import { differencesOf, nameOf } from "./differences.js";

function release(version: string, files: Readonly<Record<string, readonly [number, string]>>): ReleaseDescription {
  const list = Object.entries(files).map(([path, [bytes, digest]]) => ({ path, bytes, digest }));
  const loaded = Object.keys(files).filter((path) => path.startsWith("client/"));
  const pages = [{ pattern: "/", files: loaded }];
  const extensions = [{ point: "shell/search@1", order: 0, files: list.slice(0, 1).map(({ path }) => path) }];
  const description = { name: "hello", version, publishedAt: "2030-01-01T00:00:00Z", by: "team" };
  return { ...description, files: list, pages, extensionPoints: [], extensions };
}

test("nameOf removes only the digest of a bundler", () => {
  expect(nameOf("client/main.1a2b3c4d.js")).toBe("client/main.js");
  expect(nameOf("client/photo-1a2b3c4d5e.png")).toBe("client/photo.png");
  expect(nameOf("client/12345678.js")).toBe("client/12345678.js");
  expect(nameOf("server/index.js")).toBe("server/index.js");
});

test("files with other digests in their names are compared", () => {
  const from = release("1.0.0", {
    "client/main.11111111.js": [100, "a"],
    "client/same.22222222.css": [50, "b"],
    "client/old.js": [7, "c"],
  });
  const to = release("1.1.0", {
    "client/main.33333333.js": [130, "d"],
    "client/same.22222222.css": [50, "b"],
    "client/new.js": [9, "e"],
    "server/maps/client/main.33333333.js.map": [900, "f"],
  });
  expect(differencesOf(from, to)).toEqual({
    views: [
      { name: "/", from: 157, to: 189 },
      { name: "shell/search@1", from: 100, to: 130 },
    ],
    files: [
      { name: "client/main.js", from: 100, to: 130 },
      { name: "client/new.js", from: null, to: 9 },
      { name: "client/old.js", from: 7, to: null },
    ],
    unchanged: 1,
  });
});

test("files with equal names are all compared", () => {
  const twins = { "client/a.11111111.js": [1, "a"], "client/a.22222222.js": [2, "b"] } as const;
  expect(differencesOf(release("1.0.0", twins), release("1.1.0", twins))).toMatchObject({ files: [], unchanged: 2 });
});
