import { expect, test } from "vitest";

import { read } from "./repository.js";

/**
 * Finds the first group of a pattern in a file.
 *
 * @param {string} file @param {RegExp} pattern
 */
function find(file, pattern) {
  const [, found] = pattern.exec(read(file)) ?? [];
  return found;
}

const version = find("rust-toolchain.toml", /^channel = "(.+)"$/m);

test("The toolchain is an exact version, so that every machine has the same lints", () => {
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test("The toolchain is the oldest version that Cargo.toml permits, so that CI builds with it", () => {
  const minimum = find("Cargo.toml", /^rust-version = "(.+)"$/m);
  expect(version?.replace(/\.\d+$/, "")).toBe(minimum);
});

// A Dockerfile cannot read rust-toolchain.toml.
test.each([
  ["deploy/container/Dockerfile", /^ARG RUST_IMAGE=docker\.io\/library\/rust:([\d.]+)-/m],
  ["docs/operate/container.md", /`docker\.io\/library\/rust:([\d.]+)-/],
])("The image in %s has the version of rust-toolchain.toml", (file, pattern) => {
  expect(find(file, pattern)).toBe(version);
});

test("A section's production install has as many packages as the decision says, and no build tool", () => {
  const installed = installedWith(["packages/kit", "node_modules/react", "node_modules/react-dom"]);
  const count = find("docs/decisions/0011-platform-and-site.md", /kit and React take \d+ MB in (\d+) packages/);
  expect(String(installed.length)).toBe(count);
  expect(installed.filter((folder) => /webpack|vite|swc|typescript/.test(folder))).toEqual([]);
});

/**
 * The folders in package-lock.json of packages and all that they depend on.
 *
 * @param {string[]} roots
 */
function installedWith(roots) {
  /** @type {Record<string, { dependencies?: object }>} */
  const packages = JSON.parse(read("package-lock.json")).packages;
  const found = new Set(roots);
  for (const folder of found)
    for (const name of Object.keys(packages[folder]?.dependencies ?? {})) {
      const nested = `${folder}/node_modules/${name}`;
      found.add(nested in packages ? nested : `node_modules/${name}`);
    }
  return [...found];
}
