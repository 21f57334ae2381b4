import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { parse, stringify } from "smol-toml";

import { ROOT } from "./repository.mjs";

/** @typedef {{ [key: string]: unknown }} Table */

/** Creates an admin API token and its hash for the configuration. */
export function createToken() {
  const token = randomBytes(32).toString("hex");
  return { token, hash: `sha256:${createHash("sha256").update(token).digest("hex")}` };
}

/**
 * Merges `changes` into `base`: tables recursively, everything else replaced. An undefined value removes the key.
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
 * Writes a `site.toml` with changes.
 *
 * @param {string} folder receives `site.toml`
 * @param {Table} changes
 * @param {string} [base] the file to change; by default the repository's
 * @returns {Promise<string>} its path
 */
export async function writeConfig(folder, changes, base = path.join(ROOT, "site.toml")) {
  const file = path.join(folder, "site.toml");
  await writeFile(file, stringify(merge(parse(await readFile(base, "utf8")), changes)));
  return file;
}

/** The configuration table of what the bundled site serves at its root, which `make releases` draws. */
export const ROOT_FILES = { files: { folder: path.join(ROOT, "shell/art/drawn/root") } };

/** The sign-up backend's key in development and tests. */
export const BACKEND_KEY = "development-key";

/**
 * The configuration tables for a sign-up backend and, by default, a partner at the URL `backend`.
 *
 * @param {string} backend
 * @param {{ partner?: boolean, name?: string }} [options]
 * @returns {Table}
 */
export function signupConfig(backend, { partner = true, name } = {}) {
  return {
    signup: {
      backend,
      backend_api_key: { env: "SIGNUP_BACKEND_KEY" },
      ...(name !== undefined && { name }),
      affiliate_subid: "colonnade",
      allowed_redirect_hosts: ["members.example.com"],
      form_path: "/signup",
      success_path: "/success",
      // All tests share one client address.
      rate_limit_per_minute: 100_000,
      rate_limit_per_client_per_minute: 100_000,
      breaker_failure_threshold: 100_000,
      ...(partner && { fallback_partner: "example" }),
    },
    ...(partner && {
      partners: { example: { name: "Example Partner", url: `${backend}/partner`, parameters: { subid: "colonnade" } } },
    }),
  };
}
