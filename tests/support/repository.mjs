import path from "node:path";

/** The repository's root folder. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

/** The packages that make the site, the shell first. */
export const PACKAGES = ["shell", "mfe-directory", "mfe-articles", "mfe-legal", "mfe-signup"].map((name) =>
  path.join(ROOT, name),
);

/** The gateway as Cargo built it: for development, unless `GATEWAY_PROFILE` says `release`. */
export const GATEWAY_BINARY = path.join(
  process.env["CARGO_TARGET_DIR"] ?? path.join(ROOT, "target"),
  process.env["GATEWAY_PROFILE"] ?? "debug",
  "gateway",
);
