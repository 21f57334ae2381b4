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
