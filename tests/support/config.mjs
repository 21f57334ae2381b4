import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { parse, stringify } from "smol-toml";

import { ROOT } from "./repository.mjs";

/** @typedef {{ [key: string]: unknown }} Table */

/** A token for the admin API and what the configuration keeps of it. */
export function createToken() {
  const token = randomBytes(32).toString("hex");
  return { token, hash: `sha256:${createHash("sha256").update(token).digest("hex")}` };
}

/**
 * A table with another's entries put over its own, tables merged and everything else replaced. An entry
 * that is undefined is left out.
 *
 * @param {Table} base
 * @param {Table} changes
 * @returns {Table}
 */
function merge(base, changes) {
  const merged = { ...base };
  for (const [key, value] of Object.entries(changes)) {
    const present = merged[key];
    if (value === undefined) delete merged[key];
    else merged[key] = isTable(value) ? merge(isTable(present) ? present : {}, value) : value;
  }
  return merged;
}

/**
 * @param {unknown} value
 * @returns {value is Table}
 */
function isTable(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Writes a configuration like the repository's `site.toml`, with some of it changed.
 *
 * @param {string} folder where it goes, as `site.toml`
 * @param {Table} changes
 * @returns {Promise<string>} its path
 */
export async function writeConfig(folder, changes) {
  const base = parse(await readFile(path.join(ROOT, "site.toml"), "utf8"));
  const file = path.join(folder, "site.toml");
  await writeFile(file, stringify(merge(base, changes)));
  return file;
}

/** What a development set-up configures besides addresses: a backend, its key, and a partner. */
export const BACKEND_KEY = "development-key";

/**
 * The tables for a sign-up backend at `backend` and, unless told otherwise, a partner there.
 *
 * @param {string} backend
 * @param {{ partner?: boolean }} [options]
 * @returns {Table}
 */
export function signupConfig(backend, { partner = true } = {}) {
  return {
    signup: {
      backend,
      key: { env: "SIGNUP_BACKEND_KEY" },
      affiliate_subid: "colonnade",
      redirect_hosts: ["members.example.com"],
      page: "/signup",
      success: "/success",
      // A whole suite comes from one address.
      attempts: 100_000,
      attempts_per_client: 100_000,
      failures: 100_000,
      ...(partner && { partner: "example" }),
    },
    ...(partner && {
      partners: { example: { name: "Example Partner", url: `${backend}/partner`, parameters: { subid: "colonnade" } } },
    }),
  };
}
