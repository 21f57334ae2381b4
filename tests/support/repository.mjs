import path from "node:path";

/** The repository's root folder. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

/** The packages of the site, the shell first. */
export const PACKAGES = ["shell", "mfe-directory", "mfe-articles", "mfe-legal", "mfe-signup"].map((name) =>
  path.join(ROOT, name),
);

/** The packages of the example of another site, the shell first. */
export const MINIMAL = ["minimal-shell", "minimal-section"].map((name) => path.join(ROOT, "examples", name));

/** The configuration of that site. */
export const MINIMAL_CONFIG = path.join(ROOT, "examples/minimal-shell/site.toml");

/** The gateway binary of the Cargo profile `GATEWAY_PROFILE` (default: debug). */
export const GATEWAY_BINARY = path.join(
  process.env["CARGO_TARGET_DIR"] ?? path.join(ROOT, "target"),
  process.env["GATEWAY_PROFILE"] ?? "debug",
  "gateway",
);
